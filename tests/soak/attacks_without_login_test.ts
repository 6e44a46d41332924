/** The attacks of other users and of streamed pages once more, on services without a login. */
import { attackWithoutLogin } from "../support/attack_login.ts";

attackWithoutLogin();
await import("../pipeline/users_test.ts");
await import("../pipeline/hostile_page_test.ts");
