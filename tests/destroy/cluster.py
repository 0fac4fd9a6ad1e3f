#!/usr/bin/env python3
"""Fills moto with clusters, and lists what it holds. Runs with the Python that moto is installed in.

    cluster.py URL REGION [WORD...]

It reads what to do from its standard input, a list of JSON a line, and answers with an object a line:

    ["make", ID, THINGS]
    ["list"]

`make` puts neighbours into the account that must stay: another cluster whose name begins like this one's, things
without tags, things of the user's. Then it makes the cluster ID of at least THINGS things in a network of its own. It
prints what there was before and with the cluster, each as an object of things by kind and id, and `domain`. Words
make it another cluster:

    brought   in a network of the user's with the user's zone and role, which are marked as shared
    apart     the same, with the zone in another account, whose zones are listed as well
    lodged    it also uses a subnet that another cluster owns
    newer     a newer cluster of the same name has a record of the public zone by now, which was there "before"
    untagged  what is made first and tagged then has lost its tags, as if the engine had been killed in between
    lent      the address of its NAT gateway has no tag
    marked    the user's public zone has the cluster's tag
    strayed   with `brought`: in the user's network is a private zone of the cluster's domain without a tag

`list` prints what there is. What a service keeps for a while of something that is gone is not listed.
"""

import json
import sys

from inventory import Account, Zones, listing

BASE_DOMAIN = "example.com"
# The role of another account that may change the zone there.
ZONE_ROLE = "arn:aws:iam::210987654321:role/zone"
TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}]})
MAY = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"}]})


class Maker:
    """Makes things of one owner, a cluster or nobody, and counts them."""

    def __init__(self, account, owner):
        self.at, self.owner, self.count = account, owner, 0

    def named(self, name, value="owned", owned=True):
        """Tags as EC2 takes them."""
        self.count += 1
        tags = [{"Key": "Name", "Value": name}]
        if self.owner and owned:
            tags.append({"Key": f"kubernetes.io/cluster/{self.owner}", "Value": value})
        return tags

    def tags(self, kind, name, **more):
        return {"TagSpecifications": [{"ResourceType": kind, "Tags": self.named(name, **more)}]}

    def vpc(self, name, cidr):
        ec2 = self.at.ec2
        vpc = ec2.create_vpc(CidrBlock=cidr, **self.tags("vpc", f"{name}-vpc"))["Vpc"]["VpcId"]
        ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        gateway = ec2.create_internet_gateway(**self.tags("internet-gateway", f"{name}-igw"))
        gateway = gateway["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        return vpc, gateway

    def dhcp_options(self, vpc):
        options = [{"Key": "domain-name", "Values": ["ec2.internal"]},
                   {"Key": "domain-name-servers", "Values": ["AmazonProvidedDNS"]}]
        made = self.at.ec2.create_dhcp_options(DhcpConfigurations=options, **self.tags("dhcp-options", "options"))
        made = made["DhcpOptions"]["DhcpOptionsId"]
        self.at.ec2.associate_dhcp_options(DhcpOptionsId=made, VpcId=vpc)

    def table(self, name, vpc, **route):
        table = self.at.ec2.create_route_table(VpcId=vpc, **self.tags("route-table", name))
        table = table["RouteTable"]["RouteTableId"]
        if route:
            self.at.ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **route)
        return table

    def subnet(self, name, vpc, zone, cidr, table=None, **more):
        subnet = self.at.ec2.create_subnet(VpcId=vpc, AvailabilityZone=zone, CidrBlock=cidr,
                                           **self.tags("subnet", name, **more))
        subnet = subnet["Subnet"]["SubnetId"]
        if table:
            self.at.ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
        return subnet

    def address(self, name):
        return self.at.ec2.allocate_address(Domain="vpc", **self.tags("elastic-ip", name))["AllocationId"]

    def nat(self, name, subnet, **more):
        address = self.address(f"{name}-eip")
        gateway = self.at.ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address,
                                                 **self.tags("natgateway", f"{name}-nat", **more))
        return gateway["NatGateway"]["NatGatewayId"]

    def group(self, name, vpc, **more):
        return self.at.ec2.create_security_group(GroupName=name, Description="Created By OpenShift Installer",
                                                 VpcId=vpc, **self.tags("security-group", name, **more))["GroupId"]

    def allow(self, group, port, *others):
        rules = [{"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "UserIdGroupPairs": [{"GroupId": other}]}
                 for other in others]
        rules.append({"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.0/16"}]})
        self.at.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)

    def interface(self, name, subnet, groups, **more):
        made = self.at.ec2.create_network_interface(SubnetId=subnet, Groups=groups, Description=name,
                                                    **self.tags("network-interface", name, **more))
        return made["NetworkInterface"]["NetworkInterfaceId"]

    def of_balancer(self, name, subnets, group):
        """The network interfaces that a load balancer has in its subnets; they carry no tag of the cluster."""
        for subnet in subnets:
            self.interface(f"ELB {name}", subnet, [group], owned=False)

    def machine(self, name, subnet, groups, profile=None, interface=None):
        tags = [{"ResourceType": kind, "Tags": self.named(name)} for kind in ("instance", "volume")]
        place = ({"NetworkInterfaces": [{"NetworkInterfaceId": interface, "DeviceIndex": 0}]} if interface
                 else {"SubnetId": subnet, "SecurityGroupIds": groups})
        if profile:
            place["IamInstanceProfile"] = {"Name": profile}
        made = self.at.ec2.run_instances(ImageId=self.at.image, InstanceType="m6i.xlarge", MinCount=1, MaxCount=1,
                                         TagSpecifications=tags, **place)
        return made["Instances"][0]["InstanceId"]

    def endpoint(self, name, vpc, service, **more):
        made = self.at.ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=f"com.amazonaws.{self.at.region}.{service}",
                                               **self.tags("vpc-endpoint", name), **more)
        return made["VpcEndpoint"]["VpcEndpointId"]

    def volume(self, name, **more):
        made = self.at.ec2.create_volume(AvailabilityZone=f"{self.at.region}a", Size=1,
                                         **self.tags("volume", name, **more))
        return made["VolumeId"]

    def snapshot(self, name, volume):
        return self.at.ec2.create_snapshot(VolumeId=volume, **self.tags("snapshot", name))["SnapshotId"]

    def copied_image(self, name):
        made = self.at.ec2.copy_image(Name=name, SourceImageId=self.at.image, SourceRegion=self.at.region)["ImageId"]
        self.at.ec2.create_tags(Resources=[made], Tags=self.named(name))
        return made

    def balancer(self, name, subnets, scheme, groups, vpc, **more):
        """A network load balancer with its listeners and network interfaces."""
        elb = self.at.elbv2
        made = elb.create_load_balancer(Name=name, Subnets=subnets, Scheme=scheme, Type="network",
                                        Tags=self.named(name, **more))
        arn = made["LoadBalancers"][0]["LoadBalancerArn"]
        for short, port in groups:
            target = elb.create_target_group(Name=short, Protocol="TCP", Port=port, VpcId=vpc, TargetType="ip",
                                             Tags=self.named(short, **more))["TargetGroups"][0]["TargetGroupArn"]
            elb.create_listener(LoadBalancerArn=arn, Protocol="TCP", Port=port,
                                DefaultActions=[{"Type": "forward", "TargetGroupArn": target}])
        return arn.split(":loadbalancer/")[-1]

    def classic(self, name, subnets, group, **more):
        listener = {"Protocol": "tcp", "LoadBalancerPort": 80, "InstanceProtocol": "tcp", "InstancePort": 30080}
        self.at.elb.create_load_balancer(LoadBalancerName=name, Listeners=[listener], Subnets=subnets,
                                         SecurityGroups=[group], Tags=self.named(name, **more))
        return name

    def role(self, name, profile=None, **more):
        iam = self.at.iam
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST, Tags=self.named(name, **more))
        iam.put_role_policy(RoleName=name, PolicyName=f"{name}-policy", PolicyDocument=MAY)
        if profile:
            self.count += 1
            iam.create_instance_profile(InstanceProfileName=profile)
            iam.add_role_to_instance_profile(InstanceProfileName=profile, RoleName=name)

    def user(self, name):
        self.at.iam.create_user(UserName=name, Tags=self.named(name))
        self.at.iam.put_user_policy(UserName=name, PolicyName=f"{name}-policy", PolicyDocument=MAY)
        self.at.iam.create_access_key(UserName=name)

    def policy(self, name, *roles):
        made = self.at.iam.create_policy(PolicyName=name, PolicyDocument=MAY, Tags=self.named(name))
        for role in roles:
            self.at.iam.attach_role_policy(RoleName=role, PolicyArn=made["Policy"]["Arn"])

    def zone(self, domain, vpc=None, **more):
        private = {"VPC": {"VPCRegion": self.at.region, "VPCId": vpc}} if vpc else {}
        self.count += 1
        made = self.at.route53.create_hosted_zone(Name=domain, CallerReference=f"{domain}{vpc}{self.owner}", **private)
        zone = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
        self.at.route53.change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone,
                                                 AddTags=self.named(domain, **more))
        return zone

    def records(self, zone, *names, kind="A", value="192.0.2.1"):
        self.count += len(names)
        changes = [{"Action": "CREATE", "ResourceRecordSet": {
            "Name": name, "Type": kind, "TTL": 60, "ResourceRecords": [{"Value": value}]}} for name in names]
        self.at.route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})

    def bucket(self, name, keys, versions=1, **more):
        s3 = self.at.s3
        place = {} if self.at.region == "us-east-1" else {
            "CreateBucketConfiguration": {"LocationConstraint": self.at.region}}
        s3.create_bucket(Bucket=name, **place)
        s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": self.named(name, **more)})
        if versions > 1:
            s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        for key in range(keys):
            for version in range(versions):
                s3.put_object(Bucket=name, Key=f"layer/{key}", Body=f"{version}".encode())
        if versions > 1 and keys:
            s3.delete_object(Bucket=name, Key="layer/0")


class Network:
    """A VPC with a private and a public subnet in each zone."""

    def __init__(self, maker, name, number, zones, bare=False):
        at, cidr = maker.at, f"10.{number}"
        self.vpc, self.gateway = maker.vpc(name, f"{cidr}.0.0/16")
        public = maker.table(f"{name}-public", self.vpc, GatewayId=self.gateway)
        self.private, self.public, self.tables = [], [], [public]
        for i, letter in enumerate("abc"[:zones]):
            zone = f"{at.region}{letter}"
            self.public.append(maker.subnet(f"{name}-public-{zone}", self.vpc, zone, f"{cidr}.{128 + i}.0/24", public))
            route = {} if bare else {"NatGatewayId": maker.nat(f"{name}-{zone}", self.public[-1])}
            table = maker.table(f"{name}-private-{zone}", self.vpc, **route)
            self.tables.append(table)
            self.private.append(maker.subnet(f"{name}-private-{zone}", self.vpc, zone, f"{cidr}.{i}.0/24", table))


def cluster(account, owner, domain, public_zone, number, things, brought=None):
    """Makes a cluster."""
    small = things < 100
    maker, zones = Maker(account, owner), 1 if small else 3
    if brought:
        net = brought.network
        vpc, private_zone = net.vpc, brought.zone
        # What the cluster's things carry besides makes none of these its own.
        marks = [{"Key": f"kubernetes.io/cluster/{owner}", "Value": "shared"},
                 {"Key": f"sigs.k8s.io/cluster-api-provider-aws/cluster/{owner}", "Value": "owned"}]
        for id in [*net.private, *net.public]:
            account.ec2.create_tags(Resources=[id], Tags=marks)
        brought.zones.route53.change_tags_for_resource(ResourceType="hostedzone", ResourceId=private_zone,
                                                       AddTags=marks)
        account.iam.tag_role(RoleName=brought.role, Tags=marks)
    else:
        net = Network(maker, owner, number, zones)
        vpc = net.vpc
        maker.dhcp_options(vpc)
        maker.endpoint("s3", vpc, "s3", RouteTableIds=net.tables)
        private_zone = maker.zone(domain, vpc)
    zone_maker = Maker(brought.zones, owner) if brought else maker
    masters, workers = (maker.group(f"{owner}-{role}-sg", vpc) for role in ("master", "worker"))
    # Each lets in the other, so that neither can go as it is.
    maker.allow(masters, 6443, masters, workers)
    maker.allow(workers, 10250, masters, workers)
    internal = maker.balancer(f"{owner}-int", net.private, "internal",
                              [(f"{owner}-aint", 6443), (f"{owner}-sint", 22623)], vpc)
    external = maker.balancer(f"{owner}-ext", net.public, "internet-facing", [(f"{owner}-aext", 6443)], vpc)
    maker.of_balancer(internal, net.private, masters)
    maker.of_balancer(external, net.public, masters)
    zone_maker.records(private_zone, f"api.{domain}", f"api-int.{domain}")
    maker.records(public_zone, f"api.{domain}")
    # What the ingress operator adds.
    zone_maker.records(private_zone, f"*.apps.{domain}")
    maker.records(public_zone, f"*.apps.{domain}")
    for role in ("master", "worker"):
        maker.role(f"{owner}-{role}-role", f"{owner}-{role}-profile")
    maker.copied_image(f"{owner}-master")
    for i in range(3 if not small else 1):
        subnet = net.private[i % zones]
        interface = maker.interface(f"{owner}-master-{i}", subnet, [masters])
        maker.machine(f"{owner}-master-{i}", subnet, [masters], f"{owner}-master-profile", interface)
    for i in range(3 if not small else 1):
        maker.machine(f"{owner}-worker-{i}", net.private[i % zones], [workers], f"{owner}-worker-profile")
    maker.bucket(f"{owner}-image-registry-{account.region}", 3, versions=2)
    for component in ("ingress",) if small else ("ingress", "image-registry", "machine-api", "cloud-network"):
        maker.user(f"{owner}-openshift-{component}-{owner[-5:]}")
    if not brought:
        swept(maker, net, owner, number)
    if not small:
        maker.endpoint("ec2", vpc, "ec2", VpcEndpointType="Interface", SubnetIds=net.private,
                       SecurityGroupIds=[masters])
        maker.bucket(f"{owner}-bootstrap", 1)
        maker.policy(f"{owner}-shared", f"{owner}-master-role", f"{owner}-worker-role")
    volume = maker.volume(f"{owner}-dynamic-pvc")
    maker.snapshot(f"{owner}-dynamic-pvc", volume)
    workloads(maker, net, owner, things, workers)
    return maker


def swept(maker, net, owner, number):
    """What lies in the cluster's VPC without its tag: as somebody made it by hand, or as AWS made it for others."""
    by_hand = Maker(maker.at, "")
    zone = f"{maker.at.region}a"
    table = by_hand.table("by-hand", net.vpc)
    subnet = by_hand.subnet("by-hand", net.vpc, zone, f"10.{number}.250.0/24", table)
    group = by_hand.group("by-hand", net.vpc)
    by_hand.interface("by-hand", subnet, [group])
    # Names of load balancers have at most 32 characters.
    by_hand.classic(f"hand-{owner}"[:32], [subnet], group)
    maker.count += by_hand.count


def workloads(maker, net, owner, things, group):
    """Fills a cluster up with what its workloads make."""
    zones = len(net.private)

    def one(number):
        name, subnet = f"{owner}-w{number}", net.private[number % zones]
        what = number % 12
        if what < 4:
            maker.volume(name)
        elif what < 6:
            maker.snapshot(name, volumes[0])
        elif what < 8:
            maker.machine(name, subnet, [group], f"{owner}-worker-profile")
        elif what == 8:
            maker.interface(name, subnet, [group])
        elif what == 9:
            own, front = maker.group(f"k8s-elb-{name}", net.vpc), [net.public[number % zones]]
            maker.of_balancer(maker.classic(f"k{number}-{owner[-5:]}", front, own), front, own)
        elif what == 10:
            short, front = f"w{number}-{owner[-5:]}", [net.public[number % zones]]
            made = maker.balancer(short, front, "internet-facing", [(f"{short}-t", 443)], net.vpc)
            maker.of_balancer(made, front, group)
        else:
            maker.address(name)

    volumes, number = [maker.volume(f"{owner}-base")], 0
    while maker.count < things:
        one(number)
        number += 1


class Brought:
    """What a user brings."""

    def __init__(self, account, domain, zones, apart):
        maker = Maker(account, "")
        self.network = Network(maker, "corporate", 90, zones, bare=True)
        self.zones = apart or account
        at_zones = Maker(self.zones, "")
        self.zone = at_zones.zone(BASE_DOMAIN, self.network.vpc)
        # Only what is below the cluster's domain is the cluster's, and not what only ends like it.
        at_zones.records(self.zone, f"www.{BASE_DOMAIN}", f"api.not{domain}", domain)
        if apart:
            # Below the cluster's domain, and in a zone that nobody gave to the cluster.
            elsewhere = at_zones.zone(domain)
            at_zones.records(elsewhere, f"api.{domain}")
        self.role = "corporate-role"
        maker.role(self.role)
        group = maker.group("corporate", self.network.vpc)
        maker.machine("corporate", self.network.private[0], [group])
        maker.interface("corporate", self.network.private[0], [group])
        maker.balancer("corporate", self.network.public, "internet-facing", [("corporate", 443)], self.network.vpc)


def neighbours(account, owner, public_zone):
    """What must stay: another cluster that is called like this one, and what carries no tag."""
    cluster(account, f"{owner}-xyz79", f"two.{BASE_DOMAIN}", public_zone, 20, 45)
    maker = Maker(account, "")
    Network(maker, "legacy", 30, 1)
    volume = maker.volume("legacy")
    maker.snapshot("legacy", volume)
    maker.bucket(f"{owner}", 1)
    maker.role(f"{owner}-role", f"{owner}-profile")
    maker.user(owner)
    # The same tag with another value is no mark.
    key = {"Key": f"kubernetes.io/cluster/{owner}", "Value": "discussed"}
    account.ec2.create_tags(Resources=[volume], Tags=[key])


def lodge(account, owner):
    """Marks a subnet of the neighbour as used by the cluster."""
    ours = [{"Name": f"tag:kubernetes.io/cluster/{owner}-xyz79", "Values": ["owned"]}]
    subnet = sorted(subnet["SubnetId"] for subnet in account.ec2.describe_subnets(Filters=ours)["Subnets"])[0]
    account.ec2.create_tags(Resources=[subnet], Tags=[{"Key": f"kubernetes.io/cluster/{owner}", "Value": "shared"}])


def strip(ec2, owner, ids):
    """Takes all tags off things of EC2; moto takes none off that is not named."""
    ec2.delete_tags(Resources=ids, Tags=[{"Key": "Name"}, {"Key": f"kubernetes.io/cluster/{owner}"}])


def untag(account, owner, domain):
    """Takes the tags off all that a service makes first and tags afterwards, and makes what comes without any."""
    ec2, elb, iam, route53 = account.ec2, account.elbv2, account.iam, account.route53
    ours = [{"Name": f"tag:kubernetes.io/cluster/{owner}", "Values": ["owned"]}]
    made = [image["ImageId"] for image in ec2.describe_images(Owners=["self"], Filters=ours)["Images"]]
    made += [one["VpcEndpointId"] for one in ec2.describe_vpc_endpoints(Filters=ours)["VpcEndpoints"]]
    strip(ec2, owner, made)
    arns = [one["LoadBalancerArn"] for one in elb.describe_load_balancers(Names=[f"{owner}-int", f"{owner}-ext"])
            ["LoadBalancers"]]
    names = [f"{owner}-{end}" for end in ("aint", "aext", "sint")]
    arns += [one["TargetGroupArn"] for one in elb.describe_target_groups(Names=names)["TargetGroups"]]
    keys = ["Name", f"kubernetes.io/cluster/{owner}"]
    elb.remove_tags(ResourceArns=arns, TagKeys=keys)
    for role in ("master", "worker"):
        iam.untag_role(RoleName=f"{owner}-{role}-role", TagKeys=keys)
    iam.create_policy(PolicyName=f"{owner}-master-policy", PolicyDocument=MAY)
    zones = [zone["Id"].removeprefix("/hostedzone/") for zone in route53.list_hosted_zones()["HostedZones"]
             if zone["Name"] == f"{domain}." and zone["Config"]["PrivateZone"]]
    for zone in zones:
        route53.change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone, RemoveTagKeys=keys)
    place = {} if account.region == "us-east-1" else {
        "CreateBucketConfiguration": {"LocationConstraint": account.region}}
    account.s3.create_bucket(Bucket=f"{owner}-bootstrap", **place)


def lend(account, owner):
    """Takes the tags off the addresses of the cluster's NAT gateways."""
    ours = [{"Name": f"tag:kubernetes.io/cluster/{owner}", "Values": ["owned"]}]
    for gateway in account.ec2.describe_nat_gateways(Filters=ours)["NatGateways"]:
        strip(account.ec2, owner, [one["AllocationId"] for one in gateway["NatGatewayAddresses"]])


def renew(account, public_zone, name):
    """Leads a public record to a newer cluster; what must be there of it afterwards."""
    values = [{"Value": "198.51.100.7"}]
    record = {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": values}
    changes = {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]}
    account.route53.change_resource_record_sets(HostedZoneId=public_zone, ChangeBatch=changes)
    return {f"record {public_zone} A {name}.": {"values": values}}


def make(account, apart, owner, things, words):
    domain = f"demo.{BASE_DOMAIN}"
    maker = Maker(account, "")
    public_zone = maker.zone(BASE_DOMAIN)
    # Names that only end or begin like the cluster's.
    maker.records(public_zone, f"www.{BASE_DOMAIN}", f"api.not{domain}", domain)
    maker.records(public_zone, f"api.{domain}", kind="TXT", value='"by hand"')
    neighbours(account, owner, public_zone)
    given = Brought(account, domain, 1 if things < 100 else 3, apart) if apart or "brought" in words else None
    if "marked" in words:
        tag = {"Key": f"kubernetes.io/cluster/{owner}", "Value": "owned"}
        account.route53.change_tags_for_resource(ResourceType="hostedzone", ResourceId=public_zone, AddTags=[tag])
    before = listing(account, apart)
    if "lodged" in words:
        lodge(account, owner)
    cluster(account, owner, domain, public_zone, 10, things, given)
    if "untagged" in words:
        untag(account, owner, domain)
    if "lent" in words:
        lend(account, owner)
    if "strayed" in words:
        Maker(account, "").zone(domain, given.network.vpc)
    if "newer" in words:
        before.update(renew(account, public_zone, f"api.{domain}"))
    return {"before": before, "with": listing(account, apart), "domain": domain}


def main(url, region, *words):
    account = Account(url, region)
    apart = Zones(url, region, ZONE_ROLE) if "apart" in words else None
    for line in sys.stdin:
        what, *more = json.loads(line)
        if what == "list":
            answer = listing(account, apart)
        else:
            owner, things = more
            answer = make(account, apart, owner, int(things), words)
        print(json.dumps(answer, default=str, sort_keys=True), flush=True)


main(*sys.argv[1:])
