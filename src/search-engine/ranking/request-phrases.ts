/**
 * Phrases of requests in full sentences. They say nothing about the subject, and their words (`articles`, `interested`,
 * `называется`) are rare in documents, so they would outweigh the words of the subject. Only whole phrases count: `article 5`
 * and `information retrieval` stay.
 */
const sources =
  '(?:articles?|papers?|documents?|texts?|publications?|literature|material|information|discussions?|descriptions?|abstracts?|anything|everything|examples?)'
const about =
  '(?:on|about|regarding|concerning|describing|discussing|(?:which |that )?deal(?:s|ing)? with|(?:which |that )?(?:describe|discuss|concern)s?|relat(?:ed|ing) to|that relate to|written (?:either )?by|by|of)'

const english = [
  `(?:(?:please )?(?:find|list|show|give|get|tell)(?: me)?|(?:i would|i'd|we would|we'd) like(?: to (?:find|see|know|have))?|i want(?: to (?:find|see|know|have))?|i need|looking for)(?: (?:any|all|some|more|recent|the|an?))* ${sources}(?: exist(?:s|ing)?)?(?: ${about})?`,
  `what ${sources}(?: are there| exist)?(?: (?:which |that )?deal(?:s|ing)? with| ${about})?`,
  `^\\s*(?:any |all |some )?${sources} ${about}`,
  `(?:(?:i am|i'm|we are|we're) )?(?:not )?(?:currently |especially |particularly |also )?interested in(?: (?:any |all |some |the )?${sources}(?: ${about})?| (?:questions|the question) (?:about|of)(?: how)?)?`,
  '(?:areas? |subtopics? |topics? )?of (?:particular |special )?interest(?: includes?| are| is)?',
  '(?:this|some|applications|areas|subtopics) includes?',
]
const russian = [
  '(?<!\\p{L})(?:как|каким образом) (?:называ(?:ется|ются|лся|лась|лось|лись)|именуется|звучит название)',
  '(?<!\\p{L})(?:каково|какое) (?:название|количество|число)',
  '(?<!\\p{L})(?:меня |нас )?интересу(?:ет|ют)(?: (?:статьи|документы|материалы|информация)(?: об?| про)?)?',
  '(?<!\\p{L})(?:найди(?:те)?|покажи(?:те)?|дай(?:те)?|подскажи(?:те)?|расскажи(?:те)?)(?: мне)?(?: все)? (?:статьи|документы|материалы|информацию|сведения)(?: об?| про)?',
  '^\\s*(?:статьи|документы|материалы|информация|сведения) (?:об?|про)(?!\\p{L})',
]
const phrases = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])(?:${english.join('|')})|${russian.join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
)

/** @returns the query with such phrases replaced by blanks, so that ranges stay valid */
export function withoutRequestPhrases(query: string): string {
  return query.replace(phrases, (phrase) => ' '.repeat(phrase.length))
}
