/** The recoveries that the suite shows on one player, on the other one. */
import { recoveryTests } from "../support/player_recoveries.ts";

recoveryTests("soak");
