/** Rules of axe-core about the color of a text, which a style rule sets. */
export const COLOR_RULES: readonly string[] = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'];
