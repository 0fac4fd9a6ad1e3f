terraform {
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
      # In place of 4.77 and later, where only this is available.
      version = ">= 5.0, < 6.0"
    }
  }
}
