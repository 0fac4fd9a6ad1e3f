terraform {
  # 1.6 is also the first release of OpenTofu.
  required_version = ">= 1.6"
}
