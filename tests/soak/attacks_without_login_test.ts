/** The attacks of other users and of streamed pages once more, on services without a login. */
import { attackWithoutLogin } from "../support/attack_login.ts";

attackWithoutLogin();
await import("../e2e/attackers/users_test.ts");
await import("../e2e/attackers/hostile_page_test.ts");
