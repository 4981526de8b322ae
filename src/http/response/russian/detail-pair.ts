/** A detail in English and in Russian. `$1` to `$9` are its names and values; each is translated in its turn. */
export type DetailPair = readonly [english: string, russian: string]
