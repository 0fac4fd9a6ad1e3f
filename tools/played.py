"""A cloud that is played: moto, and a server in front of it that makes each call longer and counts it.

Tools that measure commands import it, with the Python of moto's virtual environment.
"""

import http.client
import http.server
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import threading
import time

def images():
    """The images of the default release, by region."""
    releases = json.loads(pathlib.Path("crates/model/src/catalogue/data/images.json").read_text())
    known = json.loads(pathlib.Path("crates/model/src/catalogue/data/releases.json").read_text())
    default = next(release for release, about in known.items() if about.get("default"))
    return sorted(set(releases[default]["amd64"]["aws"]["regions"].values()))


class Moto:
    """A running moto."""

    def __init__(self, work, server, region):
        self.region = region
        known = [
            {
                "ami_id": ami, "name": ami, "description": "", "owner_id": "531415883065", "public": True,
                "state": "available", "architecture": "x86_64", "virtualization_type": "hvm",
                "hypervisor": "xen", "root_device_name": "/dev/xvda", "root_device_type": "ebs",
                "image_location": "rhcos",
            }
            for ami in images()
        ]
        (work / "images.json").write_text(json.dumps(known))
        self.process = subprocess.Popen(
            [sys.executable, "-B", server, "-H", "127.0.0.1", "-p", "0"],
            env={**os.environ, "MOTO_AMIS_PATH": str(work / "images.json")},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            if found := re.search(r"Running on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            sys.exit("moto does not start")
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()

    def script(self, what, *more):
        command = [sys.executable, "-B", "tests/destroy/cluster.py", f"http://127.0.0.1:{self.port}", self.region]
        done = subprocess.run(command, input=json.dumps([what, *more]), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{what} {more}:\n{done.stderr[-3000:]}")
        return json.loads(done.stdout)

    def worked(self):
        """The processor time that it has used, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Slow(http.server.BaseHTTPRequestHandler):
    """A server that passes each call on after a while, and counts them."""

    protocol_version = "HTTP/1.1"
    port, calls, open, most, guard = 0, {}, 0, 0, threading.Lock()
    # Added to each call, in seconds.
    latency = 0.0

    def passed(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with Slow.guard:
            Slow.open += 1
            Slow.most = max(Slow.most, Slow.open)
        time.sleep(Slow.latency)
        upstream = http.client.HTTPConnection("127.0.0.1", Slow.port)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        upstream.request(self.command, self.path, body, {**headers, "Connection": "close"})
        answer = upstream.getresponse()
        name = self.action(body)
        text = self.played(name, body, answer.read())
        upstream.close()
        with Slow.guard:
            Slow.open -= 1
            # A probe of an endpoint is not signed, and no call.
            if "Authorization" in self.headers:
                Slow.calls[name] = Slow.calls.get(name, 0) + 1
        self.send_response(answer.status)
        own = ("connection", "content-length", "transfer-encoding", "date", "server")
        for name, value in answer.getheaders():
            if name.lower() not in own:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = passed

    def played(self, name, body, text):
        """What is answered to a call, after what moto answers."""
        return text

    def action(self, body):
        if target := self.headers.get("X-Amz-Target"):
            return target.rsplit(".", 1)[-1]
        if found := re.match(rb"(?:.*&)?Action=(\w+)", body):
            return found[1].decode()
        return f"{self.command} {self.path.split('?')[0]}"

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def user(moto):
    """Keys of a user."""
    script = (
        "import boto3, json, sys\n"
        "iam = boto3.client('iam', endpoint_url=sys.argv[1], region_name=sys.argv[2], aws_access_key_id='A',"
        " aws_secret_access_key='a')\n"
        "iam.create_user(UserName='figures')\n"
        "key = iam.create_access_key(UserName='figures')['AccessKey']\n"
        "print(json.dumps({'AWS_ACCESS_KEY_ID': key['AccessKeyId'],"
        " 'AWS_SECRET_ACCESS_KEY': key['SecretAccessKey']}))\n"
    )
    command = [sys.executable, "-c", script, f"http://127.0.0.1:{moto.port}", moto.region]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
