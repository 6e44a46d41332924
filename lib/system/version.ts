/** The service's version (https://semver.org), in one place. */
export const VERSION = "1.0.0";
