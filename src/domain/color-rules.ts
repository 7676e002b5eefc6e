/** The axe-core rules about the color of text, which a style rule sets. */
export const COLOR_RULES: readonly string[] = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'];
