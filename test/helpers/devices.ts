/** Ids as every installation has them: UUIDs of version 5 of the names. */
export const IPHONE_15 = 'c2a87e06-4dc3-53b4-94eb-737ad855cf0f';
