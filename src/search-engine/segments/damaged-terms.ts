/** Stored terms say something that no document can have: their bytes were changed, although the checksum is right. */
export class DamagedTermsError extends Error {}
