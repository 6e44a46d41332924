#!/bin/sh
# Makes what stack.yml keeps secret, in secrets/, once: ./secrets.sh USER
set -eu
cd "$(dirname "$0")/secrets"
umask 077
[ ! -e cluster-secret ] || { echo "secrets/ has them already" >&2; exit 1; }
login=$(openssl rand -hex 24) routes=$(openssl rand -hex 24)
printf 'node:%s' "$login" > nats-login
printf '%s' "$1" > auth-user
openssl rand -hex 12 > auth-pass
cat > nats.conf <<END
server_name: \$SERVER_NAME
jetstream { store_dir: "/data" }
authorization { user: "node", password: "$login" }
cluster {
  name: "walls", listen: "0.0.0.0:6222"
  authorization { user: "route", password: "$routes" }
  routes: ["nats-route://route:$routes@nats-a:6222", "nats-route://route:$routes@nats-b:6222", "nats-route://route:$routes@nats-c:6222"]
}
END
# the last: it says that all are there
openssl rand -hex 32 > cluster-secret
echo "The login is $1, with the password in secrets/auth-pass."
