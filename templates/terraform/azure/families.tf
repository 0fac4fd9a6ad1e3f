locals {
  # The families the services of the cluster use. Everything that exists once per
  # family iterates over this map; IPv6 twins carry a suffix in their name.
  ip_families = {
    for key, family in {
      v4 = { enabled = var.use_ipv4, version = "IPv4", probe_suffix = "", pool_suffix = "" }
      v6 = { enabled = var.use_ipv6, version = "IPv6", probe_suffix = "-v6", pool_suffix = "-IPv6" }
    } : key => family if family.enabled
  }

  # Azure has no network interface without IPv4, whatever the services use.
  nic_families = {
    for key, version in { v4 = "IPv4", v6 = "IPv6" } : key => version if key == "v4" || var.use_ipv6
  }
}
