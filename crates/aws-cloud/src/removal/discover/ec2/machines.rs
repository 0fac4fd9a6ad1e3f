//! Instances, and what they are made of.

use aws_sdk_ec2::types::{
    Address, AllocationState, EbsInstanceBlockDevice, GroupIdentifier, Host, HostInstance,
    IamInstanceProfile, Instance, InstanceBlockDeviceMapping, InstanceNetworkInterface, InstanceState,
    InstanceStateName, NetworkInterface, NetworkInterfaceAssociation, NetworkInterfaceStatus, PlacementGroup,
    PlacementGroupState, Tag,
};
use landfall_platform::removal::Kind;

use super::described::{Described, text};
use crate::removal::graph::Node;
use crate::removal::kinds;
use crate::removal::known::{Interface, Known};

described! {
    Instance, "instance", INSTANCE, instance_id, vpc_id;

    fn mentions(&self) -> Vec<&str> {
        let disks = self.block_device_mappings().iter().filter_map(InstanceBlockDeviceMapping::ebs);
        let disks = disks.filter_map(EbsInstanceBlockDevice::volume_id);
        let interfaces = self.network_interfaces().iter();
        let interfaces = interfaces.filter_map(InstanceNetworkInterface::network_interface_id);
        let groups = self.security_groups().iter().filter_map(GroupIdentifier::group_id);
        let placement =
            self.placement().into_iter().flat_map(|at| [at.group_id(), at.group_name(), at.host_id()]);
        let profile = self.iam_instance_profile().and_then(IamInstanceProfile::arn);
        let rest = [self.subnet_id(), profile].into_iter().chain(placement).flatten();
        let all = disks.chain(interfaces).chain(groups).chain(rest);
        all.filter(|name| !name.is_empty()).collect()
    }

    fn is_gone(&self) -> bool {
        self.state().and_then(InstanceState::name) == Some(&InstanceStateName::Terminated)
    }
}

impl Described for NetworkInterface {
    const SORT: &'static str = "network-interface";
    const KIND: &'static Kind = &kinds::NETWORK_INTERFACE;

    fn id(&self) -> Option<&str> {
        self.network_interface_id()
    }

    fn tags(&self) -> &[Tag] {
        self.tag_set()
    }

    fn vpc(&self) -> Option<&str> {
        self.vpc_id()
    }

    fn mentions(&self) -> Vec<&str> {
        let groups = self.groups().iter().filter_map(GroupIdentifier::group_id);
        let address = self.association().and_then(NetworkInterfaceAssociation::allocation_id);
        // Of what a service uses it for, the description tells the name.
        groups.chain([self.subnet_id(), address, self.description()].into_iter().flatten()).collect()
    }

    fn refine(&self, node: &mut Node) {
        if let Some(attachment) = self.attachment() {
            node.user = text(attachment.instance_id());
            if attachment.delete_on_termination() == Some(true) {
                node.goes_with.clone_from(&node.user);
            }
        }
        if node.name.is_empty() {
            self.description().unwrap_or_default().clone_into(&mut node.name);
        }
    }

    fn learn(&self, known: &mut Known) {
        let interface = Interface {
            of_service: self.requester_managed() == Some(true),
            in_use: self.status() == Some(&NetworkInterfaceStatus::InUse),
        };
        known.interfaces.insert(self.id().unwrap_or_default().to_owned(), interface);
    }
}

described! {
    Address, "elastic-ip", ELASTIC_IP, allocation_id;

    fn mentions(&self) -> Vec<&str> {
        [self.instance_id(), self.network_interface_id()].into_iter().flatten().collect()
    }
}

described! {
    Host, "dedicated-host", DEDICATED_HOST, host_id;

    fn mentions(&self) -> Vec<&str> {
        self.instances().iter().filter_map(HostInstance::instance_id).collect()
    }

    fn is_gone(&self) -> bool {
        let gone = [AllocationState::Released, AllocationState::ReleasedPermanentFailure];
        self.state().is_some_and(|state| gone.contains(state))
    }
}

described! {
    PlacementGroup, "placement-group", PLACEMENT_GROUP, group_id;

    fn is_gone(&self) -> bool {
        self.state() == Some(&PlacementGroupState::Deleted)
    }

    fn refine(&self, node: &mut Node) {
        self.group_name().unwrap_or_default().clone_into(&mut node.name);
        node.aliases.extend(text(self.group_name()));
    }

    fn learn(&self, known: &mut Known) {
        if let (Some(id), Some(name)) = (self.group_id(), self.group_name()) {
            known.placement_groups.insert(id.to_owned(), name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::{NetworkInterfaceAttachment, Placement};

    use super::*;
    use landfall_platform::removal::Disposition;

    #[test]
    fn an_instance_names_what_it_is_made_of() {
        let placement = Placement::builder().group_name("pg").build();
        let group = GroupIdentifier::builder().group_id("sg-1").build();
        let instance = Instance::builder().instance_id("i-1").subnet_id("subnet-1").vpc_id("vpc-1");
        let instance = instance.security_groups(group).placement(placement).build();
        assert_eq!(Described::mentions(&instance), ["sg-1", "subnet-1", "pg"]);
        assert_eq!(Described::vpc(&instance), Some("vpc-1"));
        assert!(!instance.is_gone());
        let state = InstanceState::builder().name(InstanceStateName::Terminated).build();
        assert!(Instance::builder().state(state).build().is_gone());
    }

    #[test]
    fn an_interface_goes_with_the_instance_that_it_was_made_for() {
        let interface = |along: bool| {
            let attachment =
                NetworkInterfaceAttachment::builder().instance_id("i-1").delete_on_termination(along);
            let interface =
                NetworkInterface::builder().network_interface_id("eni-1").description("ELB app/a/1");
            let interface = interface.attachment(attachment.build()).requester_managed(true).build();
            let mut node = Node::new(&kinds::NETWORK_INTERFACE, "eni-1", String::new(), Disposition::Removed);
            interface.refine(&mut node);
            let mut known = Known::default();
            interface.learn(&mut known);
            (node, known)
        };
        let (node, known) = interface(true);
        assert_eq!((node.user.as_deref(), node.goes_with.as_deref()), (Some("i-1"), Some("i-1")));
        assert_eq!(node.name, "ELB app/a/1");
        let known = known.interfaces.get("eni-1").copied();
        assert_eq!(known, Some(Interface { of_service: true, in_use: false }));
        let (node, _) = interface(false);
        assert_eq!((node.user.as_deref(), node.goes_with.as_deref()), (Some("i-1"), None));
    }
}
