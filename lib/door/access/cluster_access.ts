/** What lets a machine into its cluster: the secret that all nodes share, and the login of the NATS servers. */
import { type Config, ConfigError } from "../../config.ts";
import { type Login, parseLogin, readSecretFile } from "./secret_file.ts";

export interface ClusterAccess {
  /** Records and passes are made with it. */
  secret: string;
  /** Null: the servers want none. */
  login: Login | null;
}

type ClusterConfig = Pick<Config, "CLUSTER" | "CLUSTER_SECRET_FILE" | "CLUSTER_LOGIN_FILE">;

const MIN_SECRET = 32;
const [SECRET_EXAMPLE, LOGIN_EXAMPLE] = [
  "/etc/browser-stream/cluster-secret",
  "/etc/browser-stream/nats-login",
];

/** Null: the machine is alone. @throws {ConfigError} when a file cannot be read, or has not what it should have. */
export async function readClusterAccess(config: ClusterConfig): Promise<ClusterAccess | null> {
  const { CLUSTER, CLUSTER_SECRET_FILE, CLUSTER_LOGIN_FILE } = config;
  if (CLUSTER.length === 0) return null;
  const secret = await readSecretFile("CLUSTER_SECRET_FILE", CLUSTER_SECRET_FILE, SECRET_EXAMPLE);
  if (secret.length < MIN_SECRET) {
    throw new ConfigError(
      `CLUSTER_SECRET_FILE=${CLUSTER_SECRET_FILE} holds fewer than ${MIN_SECRET} characters. ` +
        `Example: openssl rand -hex 32 > ${SECRET_EXAMPLE}, and the same file on each node`,
    );
  }
  const text = await readSecretFile("CLUSTER_LOGIN_FILE", CLUSTER_LOGIN_FILE, LOGIN_EXAMPLE);
  if (text === "") return { secret, login: null };
  const login = parseLogin(text);
  if (login?.pass) return { secret, login };
  throw new ConfigError(
    `CLUSTER_LOGIN_FILE=${CLUSTER_LOGIN_FILE} is not user:password. Example: CLUSTER_LOGIN_FILE=${LOGIN_EXAMPLE}`,
  );
}
