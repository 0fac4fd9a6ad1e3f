terraform {
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
      # 4.77 is the first release in which a blob names its container by id.
      version = ">= 4.77, < 5.0"
    }
  }
}
