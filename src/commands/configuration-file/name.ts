/**
 * The file that `check` reads in the working directory. A module of its own, because the help names it and loads nothing else.
 */
export const CONFIGURATION_FILE = 'sitewarden.yaml';
