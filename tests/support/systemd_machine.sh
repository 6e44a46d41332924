#!/bin/sh
# A machine with systemd as its first process: this machine's files with changes of its own, in namespaces of its own.
# $0 FOLDER; to be run by unshare --mount --pid --uts --ipc --cgroup --fork.
set -e
cd "$1"
mount --make-rprivate /
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
# the kernel's settings are this machine's as well
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
# what a container leaves to its host
for unit in systemd-sysctl systemd-udevd systemd-udev-trigger systemd-modules-load systemd-remount-fs \
  systemd-random-seed systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-binfmt systemd-sysusers \
  systemd-update-utmp systemd-timesyncd systemd-firstboot kmod-static-nodes networking; do
  ln -sf /dev/null "etc/systemd/system/$unit.service"
done
for unit in dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
  sys-kernel-config.mount sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount \
  systemd-udevd-control.socket systemd-udevd-kernel.socket; do
  ln -sf /dev/null "etc/systemd/system/$unit"
done
: > etc/fstab
printf '[Unit]\nRequires=systemd-journald.service\nAfter=systemd-journald.service\n' > etc/systemd/system/trial.target
mkdir old
pivot_root . old
umount -l /old
rights=-sys_time,-sys_module,-sys_boot,-sys_rawio,-syslog,-mac_admin,-mac_override,-wake_alarm
exec setpriv --bounding-set="$rights" env -i container=docker \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --unit=trial.target --log-target=null --show-status=0
