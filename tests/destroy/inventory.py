"""Everything that a region of moto holds, and the clients that ask for it."""

import concurrent.futures
import threading

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

# States in which something is no more.
GONE = ("shutting-down", "terminated", "deleting", "deleted")


class Account:
    """A region of moto."""

    def __init__(self, url, region):
        self.region = region
        lander = {"aws_access_key_id": "AKIAOWNER", "aws_secret_access_key": "owner", "region_name": region}
        config = Config(retries={"max_attempts": 2}, s3={"addressing_style": "path"}, max_pool_connections=32)
        made, guard = {}, threading.Lock()

        def client(name):
            with guard:
                if name not in made:
                    made[name] = boto3.client(name, endpoint_url=url, config=config, **lander)
                return made[name]

        for name in ("ec2", "elb", "elbv2", "iam", "route53", "s3"):
            setattr(self, name, client(name))
        images = self.ec2.describe_images(Owners=["531415883065", "amazon"])["Images"]
        self.image = sorted(image["ImageId"] for image in images)[0]


class Zones:
    """The hosted zones of another account, by a role of that account."""

    def __init__(self, url, region, role):
        self.region = region
        place = {"endpoint_url": url, "region_name": region}
        lander = {"aws_access_key_id": "AKIAOWNER", "aws_secret_access_key": "owner"}
        taken = boto3.client("sts", **place, **lander).assume_role(RoleArn=role, RoleSessionName="tests")["Credentials"]
        self.route53 = boto3.client("route53", **place, aws_access_key_id=taken["AccessKeyId"],
                                    aws_secret_access_key=taken["SecretAccessKey"],
                                    aws_session_token=taken["SessionToken"])


def tagged(tags):
    return {tag["Key"]: tag["Value"] for tag in tags or []}


def listing(account, zones=None):
    """Everything, by kind and id, and the zones of another account."""
    found = of_zones(zones) if zones else {}
    parts = [of_ec2, of_machines, of_balancers, of_identities, of_zones, of_buckets]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for part in pool.map(lambda part: part(account), parts):
            found.update(part)
    return found


def pages(client, action, list, **given):
    for page in client.get_paginator(action).paginate(**given):
        yield from page[list]


def of_ec2(account):
    found, ec2 = {}, account.ec2

    def add(kind, key, things, *say):
        for thing in things:
            if str(thing.get("State", "")).lower() not in GONE:
                more = {name: thing.get(name) for name in say}
                found[f"{kind} {thing[key]}"] = {"tags": tagged(thing.get("Tags")), **more}

    add("address", "AllocationId", ec2.describe_addresses()["Addresses"], "NetworkInterfaceId")
    add("DHCP options", "DhcpOptionsId", pages(ec2, "describe_dhcp_options", "DhcpOptions"))
    add("endpoint", "VpcEndpointId", pages(ec2, "describe_vpc_endpoints", "VpcEndpoints"), "ServiceName")
    add("image", "ImageId", ec2.describe_images(Owners=["self"])["Images"])
    add("interface", "NetworkInterfaceId", pages(ec2, "describe_network_interfaces", "NetworkInterfaces"), "Status")
    add("internet gateway", "InternetGatewayId", pages(ec2, "describe_internet_gateways", "InternetGateways"),
        "Attachments")
    add("NAT gateway", "NatGatewayId", pages(ec2, "describe_nat_gateways", "NatGateways"), "SubnetId")
    add("route table", "RouteTableId", pages(ec2, "describe_route_tables", "RouteTables"), "Routes", "Associations")
    add("security group", "GroupId", pages(ec2, "describe_security_groups", "SecurityGroups"), "GroupName",
        "IpPermissions", "IpPermissionsEgress")
    add("snapshot", "SnapshotId", pages(ec2, "describe_snapshots", "Snapshots", OwnerIds=["self"]))
    add("subnet", "SubnetId", pages(ec2, "describe_subnets", "Subnets"), "CidrBlock")
    add("volume", "VolumeId", pages(ec2, "describe_volumes", "Volumes"), "Attachments")
    add("VPC", "VpcId", pages(ec2, "describe_vpcs", "Vpcs"), "DhcpOptionsId")
    return found


def of_machines(account):
    found = {}
    for reservation in pages(account.ec2, "describe_instances", "Reservations"):
        for machine in reservation["Instances"]:
            if machine["State"]["Name"] not in GONE:
                profile = machine.get("IamInstanceProfile", {}).get("Arn")
                found[f"instance {machine['InstanceId']}"] = {"tags": tagged(machine.get("Tags")), "profile": profile}
    return found


def of_balancers(account):
    found, elb = {}, account.elbv2
    balancers = list(pages(elb, "describe_load_balancers", "LoadBalancers"))
    arns = {balancer["LoadBalancerArn"]: "load balancer" for balancer in balancers}
    for group in pages(elb, "describe_target_groups", "TargetGroups"):
        arns[group["TargetGroupArn"]] = "target group"
    known, names = list(arns), {}
    for start in range(0, len(known), 20):
        for one in elb.describe_tags(ResourceArns=known[start:start + 20])["TagDescriptions"]:
            names[one["ResourceArn"]] = tagged(one["Tags"])
    for arn, kind in arns.items():
        found[f"{kind} {arn}"] = {"tags": names[arn]}
    for balancer in balancers:
        for listener in pages(elb, "describe_listeners", "Listeners", LoadBalancerArn=balancer["LoadBalancerArn"]):
            found[f"listener {listener['ListenerArn']}"] = {"port": listener["Port"]}
    classic = [balancer["LoadBalancerName"] for balancer in
               pages(account.elb, "describe_load_balancers", "LoadBalancerDescriptions")]
    for start in range(0, len(classic), 20):
        for one in account.elb.describe_tags(LoadBalancerNames=classic[start:start + 20])["TagDescriptions"]:
            found[f"classic load balancer {one['LoadBalancerName']}"] = {"tags": tagged(one["Tags"])}
    return found


def of_identities(account):
    found, iam = {}, account.iam
    for role in pages(iam, "list_roles", "Roles"):
        name = role["RoleName"]
        found[f"role {name}"] = {
            "tags": tagged(iam.list_role_tags(RoleName=name)["Tags"]),
            "policies": list(pages(iam, "list_role_policies", "PolicyNames", RoleName=name)),
            "attached": [one["PolicyArn"] for one in
                         pages(iam, "list_attached_role_policies", "AttachedPolicies", RoleName=name)],
        }
    for profile in pages(iam, "list_instance_profiles", "InstanceProfiles"):
        roles = [role["RoleName"] for role in profile["Roles"]]
        found[f"instance profile {profile['InstanceProfileName']}"] = {"roles": roles}
    for user in pages(iam, "list_users", "Users"):
        name = user["UserName"]
        keys = [key["AccessKeyId"] for key in pages(iam, "list_access_keys", "AccessKeyMetadata", UserName=name)]
        policies = list(pages(iam, "list_user_policies", "PolicyNames", UserName=name))
        tags = tagged(iam.list_user_tags(UserName=name)["Tags"])
        found[f"user {name}"] = {"tags": tags, "keys": keys, "policies": policies}
    for policy in pages(iam, "list_policies", "Policies", Scope="Local"):
        found[f"policy {policy['Arn']}"] = {"attached": policy["AttachmentCount"]}
    return found


def of_zones(account):
    found, route53 = {}, account.route53
    for zone in pages(route53, "list_hosted_zones", "HostedZones"):
        id = zone["Id"].removeprefix("/hostedzone/")
        tags = route53.list_tags_for_resource(ResourceType="hostedzone", ResourceId=id)
        found[f"hosted zone {id}"] = {"tags": tagged(tags["ResourceTagSet"]["Tags"]), "domain": zone["Name"]}
        for record in pages(route53, "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=id):
            if record["Type"] not in ("SOA", "NS"):
                name = record["Name"].replace("\\052", "*")
                found[f"record {id} {record['Type']} {name}"] = {"values": record.get("ResourceRecords")}
    return found


def of_buckets(account):
    found, s3 = {}, account.s3
    for bucket in s3.list_buckets()["Buckets"]:
        name = bucket["Name"]
        held = s3.list_object_versions(Bucket=name)
        count = len(held.get("Versions", [])), len(held.get("DeleteMarkers", []))
        found[f"bucket {name}"] = {"tags": tags_of_bucket(s3, name), "held": count}
    return found


def tags_of_bucket(s3, name):
    try:
        return tagged(s3.get_bucket_tagging(Bucket=name)["TagSet"])
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchTagSet":
            return {}
        raise
