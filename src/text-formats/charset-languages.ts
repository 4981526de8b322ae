/** A language, its encodings, and the frequency of its letters above ASCII. */
export interface CharsetLanguage {
  readonly language: string
  readonly encodings: readonly string[]
  /** Lower-case letters, each with a digit d: about one in 2^(9 - d) of the letters above ASCII. */
  readonly letters: string
}

const central = 'windows-1250 iso-8859-2'
const western = 'windows-1252'
const cyrillic = 'windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic ibm855'
const eastSlavic = 'windows-1251 koi8-u iso-8859-5 x-mac-cyrillic'
const balkan = 'windows-1251 iso-8859-5 x-mac-cyrillic ibm855'

/**
 * Equal matches are preferred in this order. Counted in the translations of the Universal Declaration of Human Rights; letters
 * that do not occur there are added from the alphabets of the languages.
 */
export const charsetLanguages: readonly CharsetLanguage[] = [
  ['de', western, 'ä7ü7ö7ß6é1à0'],
  ['fr', western, 'é9à6ê5è4ù2â1ô1û0ç4œ2î2ï1ë1æ0ÿ0ü0'],
  ['es', western, 'ó8í7á7ú5é5ñ3ü1º1ª1'],
  ['pt', western, 'ç7ã7í6é5º3à5õ5á5ê5ó4ú3â3ô3ü0ª1'],
  ['it', western, 'à8è7ò6ù5é5ì4ó1î0'],
  ['nl', western, 'ë7é6ï5ö4ü4è3ó3á2í1ê1'],
  ['sv', western, 'ä8ö7å7é2à0ü0'],
  ['da', western, 'æ7ø7å7é1ö0ü0ó0ô0'],
  ['fi', western, 'ä9ö6å1é0š0ž0'],
  ['is', western, 'ð7þ6á6í6é5ó5ö5æ5ú4ý3'],
  ['ca', western, 'ó7é7à6è6í5ú5ç4ò4ï3ü3'],
  ['af', western, 'ê8ë7é5ô4ö3î3û3è2á2ä2ü2ï3ò0'],
  ['et', `${western} windows-1257`, 'õ8ä7ü6ö5š2ž2'],
  ['ru', cyrillic, 'о6е5и5а5н5т5в5с5р5л4д4п4м4к4я3б3у3ы3ь3г3ч3ж3й3з3х2ю2щ2ц2ш1э0ф0ъ0ё0'],
  ['bg', cyrillic, 'а6о6и6е5н5в5т5р5с5д4к4л4п4б3з3ч3я3м3ъ3у3г3ж2ц2щ2й1х1ш1ю0ф0ь0'],
  ['uk', eastSlavic, 'о6а6н6і5и5в5т5р4с4е4д4у4п4л4я4м4к4б4з3ю3г3ь3ж3х3ч2ї2ц2й2є2ш1щ0ф0ґ0'],
  ['be', eastSlavic, 'а6н5ы5і5р4в4е4о4с4я4д4л4к4п4ц4у4м4т4б4з3ў3г3ч3ь3х3ж2э2ю2й2ш2ё1ф0'],
  ['sr', balkan, 'а6о6и6е5н5в5р5у5с5т4д4п4к4м4л4ј4б3з3ч3њ3г3ш2ц2љ2ж2х1ђ1ћ2ф0џ0'],
  ['mk', balkan, 'а6о6и6е6н5т5в5р5с5д4л4п4к4у4м3ј3б3з3ч3г3ц2ш2њ2ж2ќ1ѓ1х1ф0џ0љ0ѕ0ѐ0ѝ0'],
  ['cs', central, 'á7í7é6ě5ý5ž5č5ř5š5ů4ú3ť1ň1ď0ó1'],
  ['pl', central, 'ł7ż6ą6ś6ó6ę6ć5ń4ź2é0'],
  ['hu', central, 'é8á7ő5ö5ü5ó5í4ű2ú2'],
  ['sk', central, 'á7ý6ž6č6é6ú5ť5š5í5ľ4ô3ň2ď1ó2ä1ĺ0ŕ0'],
  ['sl', central, 'č8ž7š7ć1đ1'],
  ['hr', central, 'č8š7ž7ć6đ5'],
  ['ro', central, 'ă8ţ7ş6î6â5'],
  ['sq', `${western} ${central}`, 'ë9ç3'],
  ['tr', 'windows-1254', 'ı8ş7ü6ç5ğ5ö5â1î0û0'],
  ['lt', 'windows-1257', 'ė6ų6ą6ž6š6į6ę6ū5č4'],
  ['lv', 'windows-1257', 'ī8ā7ē6š6ņ4ū4ļ3ģ3ķ2ž2č2'],
  ['el', 'windows-1253 iso-8859-7', 'α6ι5ε5τ5ο5ν5κ5ρ4σ4η4π4ς4υ4ί4μ4δ4λ3θ3ω3έ3ά3ή3ό3γ3χ2ώ2ύ2ξ2φ1β1ζ0ψ0ϊ0ΐ0ϋ0ΰ0'],
  ['he', 'windows-1255 iso-8859-8', 'ו6י6ה5ל5א5ת5ב5ש4ר4כ4ד4מ4ע4ח4ם4נ4ז3פ3ס3ן3ק3ג3צ2ט2ף2ך1ץ1'],
  [
    'ar',
    'windows-1256 iso-8859-6',
    'ا6ل6ي5م5و5ت5ن4ر4ة4ع4د4ق4أ4ح4ه4ف4ب3س3ك3ج3إ3خ2ش2ض2ص2ى2ذ2ز1ط1ء1غ1ئ1ظ0ث1آ0ؤ0ً1ُ0ّ0َ0ِ0ْ0ٌ0ٍ0ـ0',
  ],
  ['fa', 'windows-1256', 'ا6ر6ن5د5ي6ه5و5م5ت5ب4س4ش4ز3ل4ك4ق3ع2ف3ح2ج2خ3آ3پ3گ3چ2ژ0ص1ض1ط1غ1ذ1ظ0ث0ئ1ء0ى3ک4أ0'],
  [
    'th',
    'windows-874',
    'า5ร5น5ก4อ4่4ม4ิ4ง4ท4ะ4ั4ด4้4ส4ล4เ4ค4ย4ี4ว3ต3แ3ห3จ3ป3บ3ใ3ุ3ข3ช3ธ2ื2ไ2พ2็2ำ2ศ2โ2ู2ถ1ภ1ึ1ษ1์2ญ1ผ1ๆ1ฏ0ฐ0ณ1ซ1ฎ0ฒ0ฉ0ฤ0ฟ0ฝ0ฬ0ฮ0๊0๋0ฯ0ฆ0ฌ0',
  ],
].map(([language = '', encodings = '', letters = '']) => ({ language, encodings: encodings.split(' '), letters }))
