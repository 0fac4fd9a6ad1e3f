locals {
  ownership_key = "kubernetes.io/cluster/${var.cluster_id}"

  # Destroy finds what to remove by the ownership tag: everything that takes tags gets these.
  tags = merge({ (local.ownership_key) = "owned" }, var.aws_extra_tags)

  # From OpenShift 4.16 on, a cluster's resources are those that the Cluster API provider makes.
  cluster_api  = var.aws_layout == "4.16"
  provider_tag = "sigs.k8s.io/cluster-api-provider-aws/cluster/${var.cluster_id}"
  role_tag     = "sigs.k8s.io/cluster-api-provider-aws/role"
  roles = [
    "apiserver", "apiserver-lb", "common", "control-plane", "controlplane", "lb", "master", "node", "private", "public",
    "worker",
  ]
  role_tags = {
    for role in local.roles :
    role => merge(local.tags, local.cluster_api ? { (local.provider_tag) = "owned", (local.role_tag) = role } : {})
  }

  # Cluster components look for this text.
  description = "Created By OpenShift Installer"

  # S3 allows 10 tags on an object. Two are ours, so the first 8 of the user's go on it; keys() sorts.
  user_tags        = { for key, value in local.tags : key => value if !contains([local.ownership_key, "Name"], key) }
  object_user_keys = slice(keys(local.user_tags), 0, min(8, length(local.user_tags)))
  object_tags = merge(
    { for key in local.object_user_keys : key => local.user_tags[key] },
    { (local.ownership_key) = local.tags[local.ownership_key] },
  )
}
