/** Ids as every installation has them: UUIDs of version 5 of the names. */
/** 1280 px wide. */
export const DESKTOP_CHROME = 'a9a4b4d0-4fb8-5c36-bc39-634c40664bbc';
export const IPHONE_15 = 'c2a87e06-4dc3-53b4-94eb-737ad855cf0f';
