locals {
  holds_ignition = var.aws_preserve_bootstrap_ignition
}
