import { stemmer as stemDanish } from '@orama/stemmers/danish'
import { stemmer as stemDutch } from '@orama/stemmers/dutch'
import { stemmer as stemFinnish } from '@orama/stemmers/finnish'
import { stemmer as stemFrench } from '@orama/stemmers/french'
import { stemmer as stemGerman } from '@orama/stemmers/german'
import { stemmer as stemHungarian } from '@orama/stemmers/hungarian'
import { stemmer as stemItalian } from '@orama/stemmers/italian'
import { stemmer as stemNorwegian } from '@orama/stemmers/norwegian'
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese'
import { stemmer as stemRomanian } from '@orama/stemmers/romanian'
import { stemmer as stemSpanish } from '@orama/stemmers/spanish'
import { stemmer as stemSwedish } from '@orama/stemmers/swedish'
import { stemmer as stemTurkish } from '@orama/stemmers/turkish'
import { stemEnglish } from './stem-english.ts'
import { stemRussian } from './stem-russian.ts'
import type { StemmedLanguage } from './stop-words.ts'

const stemmers: Readonly<Record<StemmedLanguage, (word: string) => string>> = {
  da: stemDanish,
  de: stemGerman,
  en: stemEnglish,
  es: stemSpanish,
  fi: stemFinnish,
  fr: stemFrench,
  hu: stemHungarian,
  it: stemItalian,
  nl: stemDutch,
  no: stemNorwegian,
  pt: stemPortuguese,
  ro: stemRomanian,
  // The stemmer treats `ё` as `е`.
  ru: stemRussian,
  sv: stemSwedish,
  tr: stemTurkish,
}

/** Snowball stem of a lower-case word in NFC. */
export function stemWord(word: string, language: StemmedLanguage): string {
  return stemmers[language](word)
}
