/** What the header of every page says: where one can go, and who one is. */
import type { Role } from "../../role.ts";

export interface HeaderLink {
  href: string;
  label: string;
  /** "page": the link's page is the present one; "true": the present page belongs to it. */
  current?: "page" | "true";
}

export interface HeaderFacts {
  /** The pages that the person may open. */
  links: HeaderLink[];
  /** The person who is logged in; null: nobody logs in. */
  person: {
    name: string;
    role: Role;
    /** Whether "everywhere" ends the sessions of everybody, not only the person's. */
    isForAll: boolean;
  } | null;
}
