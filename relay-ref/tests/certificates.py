"""Certificates for tests of TLS, made with openssl."""
import pathlib
import subprocess

_CA_CONFIG = """[ca]
default_ca = here
[here]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
"""


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Authority:
    """An authority of its own in `folder`; `certificate` is what to trust."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.certificate = self.folder / "ca.pem"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test authority",
                 "-keyout", self.folder / "ca.key", "-out", self.certificate)
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("1000\n")
        (self.folder / "ca.cnf").write_text(_CA_CONFIG.format(folder=self.folder))

    def issue(self, name, names="DNS:localhost,IP:127.0.0.1", start=None, end=None):
        """(certificate, key) for `names`, valid from `start` to `end` (YYMMDDHHMMSSZ) or today."""
        certificate, key, request = (self.folder / f"{name}.{kind}" for kind in ("pem", "key", "csr"))
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}", "-addext",
                 f"subjectAltName={names}", "-keyout", key, "-out", request)
        times = ["-startdate", start, "-enddate", end] if start else ["-days", "2"]
        _openssl("ca", "-batch", "-notext", "-config", self.folder / "ca.cnf", "-cert", self.certificate, "-keyfile", self.folder / "ca.key",
                 "-in", request, "-out", certificate, *times)
        return certificate, key
