#!/bin/bash
# Three Docker engines in network namespaces of their own, joined by a bridge in a fourth: swarm.sh FOLDER. It says "ready",
# and ends with its input; then nothing of it is left but the folder.
set -eu
folder=$1
processes=()
clean() {
  trap - EXIT
  # an engine that ends leaves the programs of its containers, which the swarm would start again
  for name in a b c; do
    docker="docker -H unix://$folder/$name.sock"
    timeout 20 $docker swarm leave --force >/dev/null 2>&1 || true
    timeout 20 $docker ps --quiet 2>/dev/null | xargs --no-run-if-empty timeout 20 $docker kill >/dev/null 2>&1 || true
  done
  kill "${processes[@]}" 2>/dev/null || true
  for _ in $(seq 100); do kill -0 "${processes[@]}" 2>/dev/null || break; sleep 0.1; done
  kill -9 "${processes[@]}" 2>/dev/null || true
}
trap clean EXIT
trap 'exit 1' TERM INT
unshare --net sleep 1800 <&- &
bridge=$!
processes+=("$bridge")
until [ "$(readlink "/proc/$bridge/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
nsenter -t "$bridge" -n ip link add br0 type bridge
nsenter -t "$bridge" -n ip link set br0 up
number=0
for name in a b c; do
  number=$((number + 1))
  # without a default route: with one, each name that nobody knows is asked for 20 s
  unshare --mount --uts --net --propagation private sh -c '
    hostname "wall-$2"; ip link set lo up
    until ip addr show d0 2>/dev/null | grep -q "inet "; do sleep 0.1; done
    exec dockerd -H "unix://$1/$2.sock" --data-root="$1/$2/data" --exec-root="$1/$2/exec" --pidfile="$1/$2.pid"
  ' sh "$folder" "$name" <&- >"$folder/$name.log" 2>&1 &
  engine=$!
  processes+=("$engine")
  until [ "$(readlink "/proc/$engine/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
  # made there, so that nothing stays here when it ends
  nsenter -t "$engine" -n ip link add d0 type veth peer name "v$name"
  nsenter -t "$engine" -n ip link set "v$name" netns "$bridge"
  nsenter -t "$bridge" -n ip link set "v$name" master br0 up
  nsenter -t "$engine" -n ip addr add "10.9.0.$number/24" dev d0
  nsenter -t "$engine" -n ip link set d0 up
done
for name in a b c; do
  for _ in $(seq 150); do docker -H "unix://$folder/$name.sock" info >/dev/null 2>&1 && break; sleep 0.2; done
  docker -H "unix://$folder/$name.sock" info >/dev/null
done
echo ready
cat >/dev/null
