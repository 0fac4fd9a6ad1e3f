output "bootstrap_ip" {
  description = "Address of the bootstrap machine, for gathering logs: the public one of a published cluster."
  value = (
    local.is_external
    ? one(concat(aws_eip.bootstrap[*].public_ip, local.from_pool ? [] : [aws_instance.bootstrap.public_ip]))
    : aws_instance.bootstrap.private_ip
  )
}
