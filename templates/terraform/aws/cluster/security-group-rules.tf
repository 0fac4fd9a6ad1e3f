# Who may talk to whom. The keys become part of the addresses in the state: do not rename them.

locals {
  # Open to the machine networks.
  machine_network_ports = {
    icmp = { protocol = "icmp", from = -1, to = -1 }
    ssh  = { protocol = "tcp", from = 22, to = 22 }
  }

  master_machine_network_ports = merge(local.machine_network_ports, {
    api                   = { protocol = "tcp", from = 6443, to = 6443 }
    machine-config-server = { protocol = "tcp", from = 22623, to = 22623 }
  })

  # Open to all nodes on every node.
  node_ports = {
    vxlan             = { protocol = "udp", from = 4789, to = 4789 }
    geneve            = { protocol = "udp", from = 6081, to = 6081 }
    ike               = { protocol = "udp", from = 500, to = 500 }
    ike-nat-t         = { protocol = "udp", from = 4500, to = 4500 }
    esp               = { protocol = "50", from = 0, to = 0 }
    node-services-tcp = { protocol = "tcp", from = 9000, to = 9999 }
    node-services-udp = { protocol = "udp", from = 9000, to = 9999 }
    kubelet           = { protocol = "tcp", from = 10250, to = 10250 }
    node-ports-tcp    = { protocol = "tcp", from = 30000, to = 32767 }
    node-ports-udp    = { protocol = "udp", from = 30000, to = 32767 }
  }

  # Open to all nodes on control plane machines.
  master_node_ports = merge(local.node_ports, {
    ovn-db             = { protocol = "tcp", from = 6641, to = 6642 }
    scheduler          = { protocol = "tcp", from = 10259, to = 10259 }
    controller-manager = { protocol = "tcp", from = 10257, to = 10257 }
  })

  # Open to control plane machines on control plane machines.
  master_only_ports = {
    etcd = { protocol = "tcp", from = 2379, to = 2380 }
  }

  # One line per group and kind of source; an empty source means the address ranges.
  older_ports = [
    { group = "master", source = "", cidrs = var.machine_v4_cidrs, cidrs6 = null, ports = local.master_machine_network_ports },
    { group = "master", source = "master", cidrs = null, cidrs6 = null, ports = merge(local.master_node_ports, local.master_only_ports) },
    { group = "master", source = "worker", cidrs = null, cidrs6 = null, ports = local.master_node_ports },
    { group = "worker", source = "", cidrs = var.machine_v4_cidrs, cidrs6 = null, ports = local.machine_network_ports },
    { group = "worker", source = "worker", cidrs = null, cidrs6 = null, ports = local.node_ports },
    { group = "worker", source = "master", cidrs = null, cidrs6 = null, ports = local.node_ports },
  ]

  open_ports = { "4.14" = local.older_ports, "4.16" = local.cluster_api_ports }[var.aws_layout]

  ingress_rules = merge([
    for line in local.open_ports : {
      for name, port in line.ports :
      "${line.group}-${name}${line.source == "" ? "" : "-from-${line.source}"}" => merge(port, {
        type   = "ingress"
        group  = line.group
        source = line.source
        cidrs  = line.cidrs
        cidrs6 = line.cidrs6
      })
    }
  ]...)

  egress_rules = {
    for group in keys(local.security_groups) : "${group}-egress" => {
      type     = "egress"
      group    = group
      source   = ""
      cidrs    = ["0.0.0.0/0"]
      cidrs6   = local.everywhere_ipv6
      protocol = "-1"
      from     = 0
      to       = 0
    }
  }

  security_group_rules = merge(local.ingress_rules, local.egress_rules)
}
