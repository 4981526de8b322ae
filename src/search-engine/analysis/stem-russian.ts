import { stemmer } from '@orama/stemmers/russian'

/**
 * Snowball's stem, with two more rules: it removes the fleeting vowel before the last consonant (`ошибок` and `ошибка`,
 * `настроек` and `настройка`, `чисел` and `числа`, `рынок` and `рынка`), and a final vowel of verbs (`использовать` and
 * `используется`). Documents and queries both use it, so a stem need not be a word.
 */
export function stemRussian(word: string): string {
  const stem = stemmer(word)
  const verb = stem.length > 4 ? stem.replace(/[аеиоуыэюя]$/, '') : stem
  if (verb.length < 5) return verb
  return verb.replace(betweenConsonants, '$1$2').replace(afterVowel, '$1й$2')
}

const betweenConsonants = /([бвгджзклмнпрстфхцчшщ])(?:ь|[оеё])([кцнл])$/
const afterVowel = /([аеиоуыэюя])[её]([кцнл])$/
