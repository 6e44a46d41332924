/** Certificates of a test's own issuer, made by openssl. */
import { X509Certificate } from "node:crypto";
import { join } from "node:path";

export interface Certificate {
  cert: string;
  key: string;
}

export interface Issuer {
  /** PEM of the issuer's own. */
  ca: string;
  /** One for a host. @param isExpired since 2021. */
  issue(host: string, isExpired?: boolean): Promise<Certificate>;
  /** One that is signed by itself, and its SHA-256 in hexadecimal digits. */
  selfSigned(host: string): Promise<Certificate & { fingerprint: string }>;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** @param dir an empty folder. */
export async function makeIssuer(dir: string): Promise<Issuer> {
  let made = 0;
  const openssl = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("openssl", {
      args,
      cwd: dir,
      stdout: "null",
      stderr: "piped",
    })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const read = (name: string) => Deno.readTextFile(join(dir, name));
  const nameOf = (host: string) => /^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`;
  const own = async (host: string, extension: string) => {
    const name = `own${made++}`;
    const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
    await openssl(
      "req",
      "-x509",
      ...NEW_KEY,
      ...files,
      "-days",
      "300",
      "-subj",
      `/CN=${host}`,
      "-addext",
      extension,
    );
    return { name, cert: await read(`${name}.crt`), key: await read(`${name}.key`) };
  };
  const ca = await own("Test issuer", "keyUsage=critical,keyCertSign");
  await Deno.writeTextFile(
    join(dir, "ca.cnf"),
    `[ca]\ndefault_ca=own\n[own]\ndatabase=issued\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\n` +
      `x509_extensions=names\ncertificate=${ca.name}.crt\nprivate_key=${ca.name}.key\n[any]\ncommonName=supplied\n` +
      `[names]\nsubjectAltName=$ENV::NAME\n`,
  );
  await Deno.writeTextFile(join(dir, "issued"), "");
  await Deno.writeTextFile(join(dir, "serial"), "01\n");
  return {
    ca: ca.cert,
    async issue(host, isExpired = false) {
      const name = `issued${made++}`;
      await openssl(
        "req",
        "-new",
        ...NEW_KEY,
        "-keyout",
        `${name}.key`,
        "-out",
        `${name}.csr`,
        "-subj",
        `/CN=${name}`,
      );
      const [from, to] = isExpired ? ["200101000000Z", "210101000000Z"] : ["250101000000Z", "350101000000Z"];
      const { success, stderr } = await new Deno.Command("openssl", {
        args: [
          ...["ca", "-batch", "-notext", "-config", "ca.cnf", "-in", `${name}.csr`, "-out", `${name}.crt`],
          ...["-startdate", from, "-enddate", to],
        ],
        cwd: dir,
        env: { NAME: nameOf(host) },
        stdout: "null",
        stderr: "piped",
      }).output();
      if (!success) throw new Error(new TextDecoder().decode(stderr));
      return { cert: await read(`${name}.crt`), key: await read(`${name}.key`) };
    },
    async selfSigned(host) {
      const { cert, key } = await own(host, `subjectAltName=${nameOf(host)}`);
      const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase();
      return { cert, key, fingerprint };
    },
  };
}
