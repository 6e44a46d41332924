/**
 * The attacker of docs/security.md as one run: another user of the machine, code in a stream's browser, whoever became the
 * web app's user, a hostile page and a hostile viewer. Says how much was tried, and how much of it held.
 */
import assert from "node:assert/strict";
import { type AttackCount, registerFile, summary } from "../support/attack_counts.ts";
import { attemptsMade } from "../support/attacker.ts";

Deno.env.set("ALL_TESTS", "1"); // also what runs leave out to be short

/** What is attacked, by who attacks it; first what needs no program. Files that share a service are one entry. */
const ATTACKS: Record<string, string | string[]> = {
  "requests": "../app/gate_test.ts",
  "requests for the login": "../app/login_test.ts",
  "access tokens": "../app/access_test.ts",
  "tokens of transport streams": "../app/transport_test.ts",
  "the tuner": "../app/tuner_test.ts",
  "what a role may not": "../app/roles_test.ts",
  "requests that nodes pass on": "../app/cluster_test.ts",
  "messages and their receivers": "../app/receivers_test.ts",
  "requests for VNC": "../app/vnc_test.ts",
  "bodies": "../app/bodies_test.ts",
  "secrets in answers": "../app/secrets_test.ts",
  "names and texts in pages": "../app/markup_test.ts",
  "who a client is": "../unit/machine/net/client_address_test.ts",
  "what a stream reaches": "../unit/reach/packet_rules_test.ts",
  "what goes by a proxy": "../unit/reach/proxy_script_test.ts",
  "files that root reads": "../unit/machine/os/files_test.ts",
  "files that are none": "../unit/machine/os/regular_file_test.ts",
  "folders that root takes over": "../unit/run/claims_test.ts",
  "what profiles bring along": "../unit/browser/profile_archive_test.ts",
  "a stranger in a cluster": "../unit/cluster/stranger_test.ts",
  "connections to other nodes": "../unit/cluster/forward_test.ts",
  "the broker's socket": "../unit/machine/broker/server_test.ts",
  "pictures in ffmpeg's place": "../unit/media/pictures/picture_relay_test.ts",
  "archives": "../unit/run/backup_test.ts",
  "a browser's hub": "../unit/browser/hub_test.ts",
  "the hub's socket": "../unit/browser/hub_socket_test.ts",
  "files of secrets": "../unit/door/access/secret_file_test.ts",
  "guessed passwords": "../unit/door/access/login_limiter_test.ts",
  "numbers of users": "../unit/machine/os/users_test.ts",
  "the sockets of pictures": "../unit/display/capture/display_sockets_test.ts",
  "load": "./load_test.ts",
  "users of the machine, and streamed pages": [
    "../e2e/attackers/users_test.ts",
    "../e2e/attackers/hostile_page_test.ts",
  ],
  "streamed pages and a proxy": "../e2e/isolation/way_out_test.ts",
  "streamed pages' WebRTC": "../e2e/isolation/webrtc_test.ts",
  "secrets, and the login": ["../e2e/secrets/secrets_test.ts", "../e2e/secrets/login_test.ts"],
  "displays": "../e2e/os/displays_test.ts",
  "a display's server": "../e2e/os/capture_screen_test.ts",
  "a display's answers": "../e2e/os/x11_connection_test.ts",
  "names in folders of all users": "../e2e/os/take_place_test.ts",
  "secrets in the web app's folder": "../e2e/os/handed_secrets_test.ts",
  "the browser's pipe": "../e2e/os/browser_pipe_test.ts",
  "viewers by VNC": "../e2e/takeover/bridge_test.ts",
  "viewers' sockets": "../e2e/os/viewers_test.ts",
  "viewers' frames": "../unit/machine/websocket/passing_frames_test.ts",
  "the supervisor's and the VNC proxy's clients": "../e2e/os/python_templates_test.ts",
  "half requests at the VNC proxy": "../e2e/os/vnc_proxy_test.ts",
  "the front door": "../e2e/front/front_test.ts",
  "trees of folders": "../e2e/os/remove_tree_test.ts",
  "the run directory": "../e2e/os/run_dir_test.ts",
  "the command of users": "../e2e/os/user_command_test.ts",
  "backup and restore": "../e2e/os/backup_rights_test.ts",
  "what is left running": "../e2e/os/stream_folders_test.ts",
  "the network": "../e2e/os/packet_filter_test.ts",
  "tools that guard us": "../unit/machine/os/packet_filter_test.ts",
  "what was promised, and goes": [
    "../unit/machine/broker/guards_test.ts",
    "../unit/machine/os/memory_group_test.ts",
    "../unit/machine/os/user_records_test.ts",
    "../unit/reach/policy_test.ts",
    "../unit/run/checks/sandbox_test.ts",
  ],
  "programs that find less than promised": "../e2e/os/promises_test.ts",
  "headers of a proxy": "../unit/door/access/proxy_user_test.ts",
  "headers that are trusted": [
    "../unit/door/trusted_headers_test.ts",
    "../e2e/front/trusted_headers_test.ts",
  ],
  "two of a thing": [
    "../unit/door/body_test.ts",
    "../unit/door/repeated_test.ts",
    "../unit/machine/tools/json_bounds_test.ts",
    "../unit/store/file_streams_test.ts",
  ],
  "browsers that were in before": "../unit/door/access/known_browser_test.ts",
  "who is connected": "../e2e/os/ports_test.ts",
  "the port of a push": "../e2e/os/held_port_test.ts",
  "names that change": "../unit/run/restrict_test.ts",
  "lines that others cause": "../unit/machine/tools/log_test.ts",
  "viewers and room": ["../app/on_demand_test.ts", "../unit/live/demand_test.ts"],
  "secrets that follow": "../unit/model/kept_secrets_test.ts",
  "secrets of receivers": "../unit/messages/changed_receiver_test.ts",
  "what viewers see": "../unit/model/shown_stream_test.ts",
  "searches for the tuner": "../e2e/os/datagrams_test.ts",
  "starts": "../e2e/starts_test.ts",
  "the supervisor": "../e2e/healing_test.ts",
  "the supervisor's calls": "../e2e/os/supervisor_server_test.ts",
  "what is packed": "../unit/machine/tools/inflated_test.ts",
};

const counts: Record<string, AttackCount> = {};
for (const [who, files] of Object.entries(ATTACKS)) {
  counts[who] = { held: 0, failed: [], untried: [] };
  await registerFile(who, counts[who], async () => {
    for (const file of [files].flat()) await import(file);
  });
}

Deno.test("all that was tried held", () => {
  const all = Object.values(counts);
  for (const [who, count] of Object.entries(counts)) console.log(`${who}: ${summary([count])}`);
  console.log(`\nATTACKS: ${summary(all)}; beside these, ${attemptsMade()} attempts of single users`);
  assert.deepEqual(all.flatMap(({ failed }) => failed), []);
});
