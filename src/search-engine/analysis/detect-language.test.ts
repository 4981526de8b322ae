import { describe, expect, test } from 'vitest'
import { detectLanguage, latinStemmerFor } from './detect-language.ts'

const texts = {
  ru: 'Принтер не печатает, если в очереди стоит повреждённое задание: очистите очередь и перезапустите службу печати.',
  en: 'The printer does not print if there is a damaged job in the queue: clear the queue and start the service again.',
  de: 'Der Drucker druckt nicht, wenn ein beschädigter Auftrag in der Warteschlange steht, und der Dienst muss neu gestartet werden.',
  fr: "L'imprimante n'imprime pas si une tâche est bloquée dans la file : videz la file et relancez le service sur ce poste.",
  es: 'La impresora no imprime si hay un trabajo dañado en la cola: vacíe la cola y reinicie el servicio que está en este equipo.',
  it: 'La stampante non stampa se nella coda è presente un lavoro danneggiato: svuotate la coda e riavviate il servizio che era attivo.',
  pt: 'A impressora não imprime se houver um trabalho com erro na fila: limpe a fila e reinicie o serviço que está em uso.',
  nl: 'De printer drukt niet af als er een beschadigde taak in de wachtrij staat: maak de wachtrij leeg en start de dienst opnieuw, maar niet eerder.',
  sv: 'Skrivaren skriver inte ut om det finns ett skadat jobb i kön: töm kön och starta om tjänsten, för att den inte är aktiv.',
  da: 'Printeren udskriver ikke, hvis der er et beskadiget job i køen: tøm køen og start tjenesten igen, når den ikke længere er aktiv.',
  no: 'Skriveren skriver ikke ut hvis det er en skadet jobb i køen: tøm køen og start tjenesten på nytt, så den ikke blir stående.',
  fi: 'Tulostin ei tulosta, jos jonossa on vioittunut työ: tyhjennä jono ja käynnistä palvelu uudelleen, koska se ei ole enää käynnissä.',
  hu: 'A nyomtató nem nyomtat, ha a sorban egy hibás feladat van: ürítse ki a sort, és indítsa újra a szolgáltatást, mert az nem fut.',
  ro: 'Imprimanta nu tipărește dacă există o lucrare deteriorată în coadă: goliți coada și reporniți serviciul care este pe acest calculator.',
  tr: 'Kuyrukta bozuk bir iş varsa yazıcı yazdırmaz: kuyruğu boşaltın ve hizmeti yeniden başlatın, çünkü bu hizmet için başka yol yok ve daha sonra.',
  uk: 'Принтер не друкує, якщо в черзі є пошкоджене завдання: очистіть чергу та перезапустіть службу друку.',
  be: 'Прынтар не друкуе, калі ў чарзе ёсць пашкоджанае заданне: ачысціце чаргу і перазапусціце службу друку.',
  bg: 'Принтерът не печата, ако в опашката има повредена задача: изчистете опашката и рестартирайте услугата за печат, която е спряла.',
  sr: 'Штампач не штампа ако се у реду налази оштећен посао: испразните ред и поново покрените услугу која је заустављена.',
  el: 'Ο εκτυπωτής δεν εκτυπώνει αν υπάρχει κατεστραμμένη εργασία στην ουρά.',
  ja: 'キューに破損したジョブがあると、プリンターは印刷しません。',
  zh: '如果队列中有损坏的作业，打印机将无法打印。',
} as const

describe('a text tells its language', () => {
  test.each(Object.entries(texts))('%s', (language, text) => {
    expect(detectLanguage(text)).toBe(language)
  })
})

test('a text of two languages is in the one that it mostly is in', () => {
  expect(detectLanguage(`${texts.ru} ${texts.ru} VPN client, see "Troubleshooting guide"`)).toBe('ru')
  expect(detectLanguage(`${texts.en} ${texts.en} Принтер`)).toBe('en')
})

test('what the document declares counts only where the text says little', () => {
  expect(detectLanguage('Zimbra 8.8', 'de-AT')).toBe('de')
  expect(detectLanguage(texts.ru, 'en-US')).toBe('ru')
  expect(detectLanguage(texts.fr, 'en')).toBe('fr')
  expect(detectLanguage('', 'nb-NO')).toBe('no')
})

test.each([
  ['de', 'Der Drucker druckt nicht.'],
  ['de', 'Das Netzwerk ist langsam'],
  ['de', 'Die Maus funktioniert nicht mehr'],
  ['fr', 'Le réseau est lent'],
  ['fr', "L'imprimante ne marche pas"],
])('a short sentence without an English word tells its language: %s', (language, text) => {
  expect(detectLanguage(text)).toBe(language)
})

test.each([
  'Per user licences',
  'Man page viewer',
  'The war room',
  'Die casting of pistons',
  'VPN client',
  'Chi-Square Quantiles (Algorithm C451)',
  'van door lock',
  '/usr/bin man page',
  'e-mail acme.com',
  'Van rental, van hire, van lease',
])('words of other languages that English titles contain are not evidence: %s', (title) => {
  expect([undefined, 'en']).toContain(detectLanguage(title))
})

test('no letters and no declaration: no language', () => {
  expect(detectLanguage('12345 +-')).toBeUndefined()
  expect(detectLanguage('')).toBeUndefined()
  expect(detectLanguage('42', 'not a language')).toBeUndefined()
})

test('Latin words of documents in a language without a stemmer are read as English', () => {
  expect([undefined, 'ru', 'uk', 'ja', 'de', 'en'].map(latinStemmerFor)).toEqual(['en', 'en', 'en', 'en', 'de', 'en'])
})
