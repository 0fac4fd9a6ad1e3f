# Who may talk to whom in layout 4.16. The keys become part of the addresses in the state: do not rename them.

locals {
  # The pod network and the services of nodes: open to all nodes on every node.
  pod_network_ports = merge(local.icmpv6_ports, {
    icmp              = { protocol = "icmp", from = -1, to = -1 }
    ssh               = { protocol = "tcp", from = 22, to = 22 }
    vxlan             = { protocol = "udp", from = 4789, to = 4789 }
    geneve            = { protocol = "udp", from = 6081, to = 6081 }
    ike               = { protocol = "udp", from = 500, to = 500 }
    ike-nat-t         = { protocol = "udp", from = 4500, to = 4500 }
    esp               = { protocol = "50", from = 0, to = 0 }
    ovn-db            = { protocol = "tcp", from = 6441, to = 6442 }
    node-services-tcp = { protocol = "tcp", from = 9000, to = 9999 }
    node-services-udp = { protocol = "udp", from = 9000, to = 9999 }
    node-ports-tcp    = { protocol = "tcp", from = 30000, to = 32767 }
    node-ports-udp    = { protocol = "udp", from = 30000, to = 32767 }
  })
  icmpv6_ports = { for name in ["icmpv6"] : name => { protocol = name, from = -1, to = -1 } if local.is_dual_stack }

  control_plane_ports = {
    scheduler          = { protocol = "tcp", from = 10259, to = 10259 }
    controller-manager = { protocol = "tcp", from = 10257, to = 10257 }
  }
  api_ports = {
    api                   = { protocol = "tcp", from = 6443, to = 6443 }
    machine-config-server = { protocol = "tcp", from = 22623, to = 22623 }
  }
  etcd_ports    = { etcd = { protocol = "tcp", from = 2379, to = 2380 } }
  kubelet_ports = { kubelet = { protocol = "tcp", from = 10250, to = 10250 } }

  # A load balancer sends from its own addresses, which may lie outside the machine networks in a VPC of the user's.
  load_balancer_cidrs = distinct(concat(data.aws_vpc.given[*].cidr_block, var.machine_v4_cidrs))

  # Beside the IPv4 ranges of a rule; null where the machines have no IPv6.
  everywhere_ipv6    = local.is_dual_stack ? ["::/0"] : null
  machine_ipv6_cidrs = local.is_dual_stack ? distinct(concat(var.machine_v6_cidrs, local.vpc_ipv6_cidrs)) : null

  cluster_api_ports = concat(
    flatten([
      for group in ["controlplane", "node"] : [
        for source in ["controlplane", "node"] :
        { group = group, source = source, cidrs = null, cidrs6 = null, ports = local.pod_network_ports }
      ]
    ]),
    [
      for source in ["apiserver-lb", "controlplane", "node"] :
      { group = "controlplane", source = source, cidrs = null, cidrs6 = null, ports = local.api_ports }
    ],
    [
      for source in ["controlplane", "node"] :
      { group = "controlplane", source = source, cidrs = null, cidrs6 = null, ports = local.control_plane_ports }
    ],
    [
      for source in ["controlplane", "node"] :
      { group = "node", source = source, cidrs = null, cidrs6 = null, ports = local.kubelet_ports }
    ],
    [
      for source in ["controlplane", "node"] : {
        group  = "apiserver-lb"
        source = source
        cidrs  = null
        cidrs6 = null
        ports  = { for name, port in local.api_ports : name => port if name == "machine-config-server" }
      }
    ],
    [
      { group = "controlplane", source = "controlplane", cidrs = null, cidrs6 = null, ports = local.etcd_ports },
      {
        group  = "node"
        source = ""
        cidrs  = var.machine_v4_cidrs
        cidrs6 = local.machine_ipv6_cidrs
        ports  = { for name, port in local.pod_network_ports : name => port if name == "node-ports-tcp" }
      },
      {
        group  = "lb"
        source = ""
        cidrs  = local.load_balancer_cidrs
        cidrs6 = local.machine_ipv6_cidrs
        ports  = local.api_ports
      },
      {
        group  = "apiserver-lb"
        source = ""
        cidrs  = ["0.0.0.0/0"]
        cidrs6 = local.everywhere_ipv6
        ports  = { for name, port in local.api_ports : name => port if name == "api" }
      },
    ],
  )
}
