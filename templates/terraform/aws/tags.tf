locals {
  ownership_key = "kubernetes.io/cluster/${var.cluster_id}"

  # Destroy finds what to remove by the ownership tag: everything that takes tags gets these.
  tags = merge({ (local.ownership_key) = "owned" }, var.aws_extra_tags)

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
