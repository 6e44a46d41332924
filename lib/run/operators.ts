/** The commands that people type, as one module: each module that is loaded on demand cuts the bundle into more files. */
export { backup } from "./backup/backup.ts";
export { restore } from "./backup/restore.ts";
export { doctor } from "./doctor.ts";
export { install } from "./install/install.ts";
export { printPolicies } from "./install/policies.ts";
export { uninstall } from "./install/uninstall.ts";
export { upgrade } from "./install/upgrade.ts";
export { user } from "./user.ts";
