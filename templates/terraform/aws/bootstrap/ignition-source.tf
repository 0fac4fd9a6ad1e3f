locals {
  holds_ignition = !var.aws_preserve_bootstrap_ignition

  # The stub in the file names the object by an s3:// address. Ignition reads that with the machine's role, if the role
  # may and if it knows the region; the presigned URL works everywhere.
  stub = jsondecode(var.aws_bootstrap_stub_ignition)
  stub_with_url = merge(local.stub, {
    ignition = merge(local.stub.ignition, {
      config = merge(local.stub.ignition.config, {
        replace = merge(local.stub.ignition.config.replace, { source = var.aws_bootstrap_ignition_url })
      })
    })
  })

  bootstrap_user_data = (var.aws_bootstrap_ignition_url == null
    ? var.aws_bootstrap_stub_ignition
    : jsonencode(local.stub_with_url)
  )
}
