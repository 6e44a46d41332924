/** Every command of the program, for its reading, its help and the shell's completion. */
import { PROGRAMS } from "../../model/programs.ts";
import { ROLE_USES, ROLES } from "../../role.ts";

export interface Word {
  /** As the help writes it: "FILE". */
  name: string;
  /** The words that it may be; absent: any. */
  choices?: readonly string[];
}

export interface Option {
  about: string;
  /** Absent: the option has no value. */
  value?: Word;
}

export interface Command {
  /** The command's effect, for a line of a list. */
  about: string;
  operands?: readonly Word[];
  options?: Readonly<Record<string, Option>>;
  example: string;
  /** Notes to read before, in lines. */
  notes?: string;
  /** The supervisor runs it, and no person needs to. */
  isInner?: boolean;
}

const ROLE: Word = { name: ROLES.join("|"), choices: ROLES };
const NAME: Word = { name: "NAME" };
const FILE: Word = { name: "FILE" };

const ASKED =
  "The command asks for the password, or takes the first line of stdin. Other users could read an argument.";
const ROLE_NOTES = ROLES.map((role) => `${role.padEnd(9)} ${ROLE_USES[role]}`).join("\n");

const OF_PEOPLE: Record<string, Command> = {
  "up": {
    about: "runs the whole service, in the foreground",
    example: "PORT=8080 browser-stream up",
    notes:
      "Settings are environment variables: browser-stream --help --all. Ctrl-C stops the service and all that it started.",
  },
  "doctor": {
    about: "checks all that a picture needs, and says what to do",
    options: { json: { about: "prints JSON, for programs" } },
    example: "browser-stream doctor --json",
    notes: "Ends with 1 when there is a problem. It changes nothing.",
  },
  "backup": {
    about: "saves settings and history in a file, also while the service runs",
    operands: [FILE],
    options: { profiles: { about: "saves the browsers' profiles, too, while the service does not run" } },
    example: "browser-stream backup /var/backups/browser-stream.tar.gz",
    notes: "Passwords are in the file. Only you can read it.",
  },
  "restore": {
    about: "replaces the data by a backup, while the service does not run",
    operands: [FILE],
    example: "browser-stream restore /var/backups/browser-stream.tar.gz",
  },
  "install": {
    about: "installs this executable, the packages and a systemd unit, and starts the service",
    options: {
      root: { about: "installs into a folder, the root of another machine", value: { name: "DIR" } },
    },
    example: "sudo ./browser-stream install",
  },
  "upgrade": {
    about: "replaces the installed executable by this one, and undoes that if it does not answer",
    example: "sudo ./browser-stream upgrade",
  },
  "uninstall": {
    about: "removes what was installed",
    options: { purge: { about: "removes all data and settings, too" } },
    example: "sudo browser-stream uninstall",
  },
  "cluster init": {
    about: "creates the cluster of CLUSTER, with this machine's streams",
    example: "browser-stream cluster init",
  },
  "cluster status": {
    about: "lists the nodes, and how many streams each has",
    example: "browser-stream cluster status",
  },
  "cluster drain": {
    about: "gives this machine's streams to the others, and ends when they have them",
    example: "browser-stream cluster drain",
  },
  "cluster resume": {
    about: "takes streams again",
    example: "browser-stream cluster resume",
  },
  "user list": { about: "lists who can log in", example: "browser-stream user list" },
  "user add": {
    about: "adds a user",
    operands: [NAME],
    options: { role: { about: "what the user may do, viewer if it is not given", value: ROLE } },
    example: "browser-stream user add anna --role=operator",
    notes: `${ASKED}\n\n${ROLE_NOTES}`,
  },
  "user password": {
    about: "gives a user another password",
    operands: [NAME],
    example: "browser-stream user password anna",
    notes: ASKED,
  },
  "user role": {
    about: "gives a user another role",
    operands: [NAME, ROLE],
    example: "browser-stream user role anna admin",
    notes: ROLE_NOTES,
  },
  "user remove": { about: "removes a user", operands: [NAME], example: "browser-stream user remove anna" },
  "policies": {
    about: "prints Chromium's policies, to install them by hand where the service is not root",
    example: "browser-stream policies > /etc/chromium/policies/managed/browser-stream.json",
  },
  "completion": {
    about: "prints the completion of these commands for a shell",
    operands: [{ name: "bash", choices: ["bash"] }],
    example: "browser-stream completion bash > /etc/bash_completion.d/browser-stream",
  },
  "version": { about: "prints the version, as --version does", example: "browser-stream version" },
  "help": {
    about: "prints what a command does, as COMMAND --help does",
    operands: [{ name: "[COMMAND]" }],
    options: { all: { about: "prints all commands, and every environment variable" } },
    example: "browser-stream help backup",
  },
};

const OF_SUPERVISOR: Record<string, Command> = {
  "serve": {
    about: "runs the web app behind the front door",
    options: { port: { about: "runs it alone, on PORT, without limits of connections" } },
    example: "browser-stream serve --port",
  },
  "front": { about: "nginx: the front door, the only public port", example: "browser-stream front" },
  "media": { about: "nginx: takes the channels and publishes HLS", example: "browser-stream media" },
  "vnc-proxy": { about: "websockify: leads viewers to the displays", example: "browser-stream vnc-proxy" },
  "capture": { about: "reads the displays' pictures for the encoders", example: "browser-stream capture" },
  "stream-ids": { about: "prints the ids of the streams", example: "browser-stream stream-ids" },
  ...Object.fromEntries(
    Object.entries(PROGRAMS).map(([kind, { about }]): [string, Command] => [
      kind,
      { about, operands: [{ name: "ID" }], example: `browser-stream ${kind} clock` },
    ]),
  ),
};

/** The commands by their names, of one word or of two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...OF_PEOPLE,
  ...Object.fromEntries(
    Object.entries(OF_SUPERVISOR).map(([name, command]) => [name, { ...command, isInner: true }]),
  ),
};

/** The names that begin with a word, such as "user": "user list", "user add"; none for another word. */
export function namesOfGroup(word: string): string[] {
  return Object.keys(COMMANDS).filter((name) => name.startsWith(`${word} `));
}
