import { expect, test } from 'vitest'
import { decodeText } from '../../src/documents/extract/read/decode-text.ts'

/** Text of a language that is at least 500 characters long, and encodings in which it is written. */
const texts: readonly { readonly language: string; readonly encodings: string; readonly text: string }[] = [
  {
    language: 'cs',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Vážení zákazníci, děkujeme vám za objednávku, kterou jsme přijali dnes ráno. Zboží bude odesláno nejpozději zítra a o průběhu doručení vás budeme informovat elektronickou poštou. Pokud byste měli jakékoli dotazy, můžete se obrátit na naše oddělení podpory, které je k dispozici každý všední den od osmi do šesti hodin. Žádáme vás, abyste při převzetí zásilky zkontrolovali, zda není obal poškozený. Případné závady uveďte přímo do předávacího protokolu, jinak nebude možné reklamaci uznat. Věříme, že budete s našimi službami spokojeni.',
  },
  {
    language: 'pl',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Szanowni Państwo, dziękujemy za złożenie zamówienia w naszym sklepie. Przesyłka zostanie wysłana najpóźniej jutro, a o każdej zmianie jej położenia będziemy informować pocztą elektroniczną. W razie jakichkolwiek pytań prosimy o kontakt z działem obsługi, który pracuje od poniedziałku do piątku w godzinach od ósmej do osiemnastej. Prosimy sprawdzić, czy opakowanie nie zostało uszkodzone, i zgłosić wszelkie usterki bezpośrednio dostawcy. Późniejsze reklamacje mogą nie zostać uwzględnione. Życzymy miłego dnia i do zobaczenia.',
  },
  {
    language: 'el',
    encodings: 'iso-8859-7 windows-1253',
    text: 'Αγαπητοί πελάτες, σας ευχαριστούμε για την παραγγελία που λάβαμε σήμερα το πρωί. Τα προϊόντα θα αποσταλούν το αργότερο αύριο και θα σας ενημερώνουμε με ηλεκτρονικό ταχυδρομείο για την πορεία της παράδοσης. Αν έχετε οποιαδήποτε απορία, μπορείτε να επικοινωνήσετε με το τμήμα υποστήριξης, το οποίο είναι διαθέσιμο κάθε εργάσιμη ημέρα από τις οκτώ έως τις έξι. Παρακαλούμε να ελέγξετε κατά την παραλαβή αν η συσκευασία έχει υποστεί ζημιά. Τυχόν ελαττώματα πρέπει να αναφερθούν αμέσως στον μεταφορέα, ώστε να γίνει δεκτή η επιστροφή.',
  },
  {
    language: 'tr',
    encodings: 'windows-1254',
    text: 'Değerli müşterimiz, bu sabah aldığımız siparişiniz için teşekkür ederiz. Ürünler en geç yarın gönderilecek ve teslimatın durumu hakkında size elektronik posta ile bilgi vereceğiz. Herhangi bir sorunuz olursa, her iş günü saat sekizden altıya kadar hizmet veren destek bölümümüze başvurabilirsiniz. Lütfen teslim alırken paketin hasar görüp görmediğini kontrol ediniz. Olası kusurları doğrudan taşıyıcıya bildirmeniz gerekir, aksi takdirde şikâyetiniz kabul edilmeyebilir. Hizmetlerimizden memnun kalacağınıza ve yakında yeniden görüşeceğimize inanıyoruz.',
  },
  {
    language: 'he',
    encodings: 'windows-1255',
    text: 'לקוחות יקרים, אנו מודים לכם על ההזמנה שקיבלנו הבוקר. המוצרים יישלחו לכל המאוחר מחר, ונעדכן אתכם בדואר אלקטרוני על מהלך המשלוח. אם יש לכם שאלות כלשהן, תוכלו לפנות למחלקת התמיכה שלנו, הפועלת בכל יום עבודה משמונה בבוקר ועד שש בערב. אנא בדקו בעת קבלת החבילה שהאריזה לא ניזוקה בדרך. יש לדווח על כל פגם ישירות לשליח, אחרת לא נוכל לקבל את התלונה. אנו מקווים שתהיו מרוצים מן השירות שלנו ושניפגש שוב בקרוב. החשבון מצורף להודעה זו, ואפשר לשלם אותו בכל סניף של הבנק או דרך האתר. תודה רבה על הסבלנות ועל האמון שנתתם בנו גם השנה.',
  },
  {
    language: 'ar',
    encodings: 'iso-8859-6 windows-1256',
    text: 'عملاءنا الأعزاء، نشكركم على الطلب الذي استلمناه هذا الصباح. سيتم إرسال المنتجات غدا على أبعد تقدير، وسنبلغكم بالبريد الإلكتروني عن سير عملية التسليم. إذا كانت لديكم أي أسئلة فيمكنكم الاتصال بقسم الدعم الذي يعمل كل يوم من الثامنة صباحا حتى السادسة مساء. نرجو منكم التحقق عند الاستلام من أن الغلاف لم يتعرض لأي ضرر. يجب الإبلاغ عن العيوب مباشرة إلى الناقل، وإلا فلن نتمكن من قبول الشكوى. نأمل أن تكونوا راضين عن خدماتنا وأن نلتقي بكم مرة أخرى قريبا. الفاتورة مرفقة بهذه الرسالة ويمكن دفعها في أي فرع من فروع المصرف.',
  },
  {
    language: 'ja',
    encodings: 'euc-jp shift_jis',
    text: 'お客様各位、今朝はご注文いただきありがとうございます。商品は遅くとも明日中に発送し、配送の状況は電子メールでお知らせいたします。ご質問がございましたら、平日の午前八時から午後六時まで受け付けているサポート窓口までお問い合わせください。お受け取りの際には、包装に破損がないかどうかをご確認ください。不具合がある場合は、配達員に直接お申し出ください。後日のお申し出には対応できないことがあります。'.repeat(
      4,
    ),
  },
  {
    language: 'ko',
    encodings: 'euc-kr',
    text: '고객 여러분, 오늘 아침에 접수된 주문에 감사드립니다. 상품은 늦어도 내일까지 발송되며 배송 상황은 전자 우편으로 알려 드리겠습니다. 궁금한 점이 있으시면 평일 오전 여덟 시부터 오후 여섯 시까지 운영하는 지원 부서로 연락해 주십시오. 물건을 받으실 때 포장이 손상되지 않았는지 확인해 주시기 바랍니다. 문제가 있으면 배달원에게 바로 말씀해 주십시오.'.repeat(
      4,
    ),
  },
  {
    language: 'zh',
    encodings: 'gb18030',
    text: '尊敬的客户，感谢您今天早上的订单。商品最迟将于明天发出，我们会通过电子邮件告知您配送的进展情况。如果您有任何问题，可以联系我们的客户支持部门，工作时间为每个工作日上午八点到下午六点。收货时请检查包装是否损坏，如有问题请直接向快递员说明。'.repeat(
      5,
    ),
  },
  {
    language: 'tw',
    encodings: 'big5',
    text: '尊敬的客戶，感謝您今天早上的訂單。商品最遲將於明天寄出，我們會透過電子郵件告知您配送的進展情況。如果您有任何問題，可以聯絡我們的客戶服務部門，服務時間為每個工作日上午八點到下午六點。收貨時請檢查包裝是否損壞，如有問題請直接向送貨員說明。'.repeat(
      5,
    ),
  },
  {
    language: 'lt',
    encodings: 'windows-1257',
    text: 'Gerbiami klientai, dėkojame už užsakymą, kurį gavome šį rytą. Prekės bus išsiųstos vėliausiai rytoj, o apie pristatymo eigą jus informuosime elektroniniu paštu. Jei turėtumėte klausimų, galite kreiptis į mūsų pagalbos skyrių, kuris dirba kiekvieną darbo dieną nuo aštuonių iki šešių valandų. Prašome atsiimant siuntą patikrinti, ar pakuotė nepažeista. Apie galimus trūkumus praneškite tiesiogiai kurjeriui, kitaip negalėsime priimti skundo. Tikimės, kad būsite patenkinti mūsų paslaugomis ir greitai vėl susitiksime.',
  },
  {
    language: 'ru',
    encodings: 'iso-8859-5 windows-1251 koi8-r ibm866',
    text: 'Уважаемые клиенты, благодарим вас за заказ, который мы получили сегодня утром. Товар будет отправлен не позднее завтрашнего дня, а о ходе доставки мы сообщим вам по электронной почте. Если у вас возникнут вопросы, вы можете обратиться в наш отдел поддержки, который работает каждый будний день с восьми до шести часов. Просим вас при получении проверить, не повреждена ли упаковка. О недостатках сообщите сразу курьеру, иначе претензия не будет принята. Надеемся, что вы останетесь довольны нашими услугами и скоро вернётесь.',
  },
]

/** The bytes of a text, by what the decoder makes of every byte and pair of bytes. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const bytes = new Map<string, readonly number[]>()
  const learn = (...code: number[]): void => {
    const character = decoder.decode(Uint8Array.from(code))
    if (!character.includes('\ufffd') && !bytes.has(character)) bytes.set(character, code)
  }
  for (let byte = 0; byte < 256; byte++) learn(byte)
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail)
  return Buffer.from(Array.from(text).flatMap((character) => bytes.get(character) ?? []))
}

test.each(
  texts.flatMap(({ language, encodings, text }) =>
    encodings.split(' ').map((encoding) => ({ language, encoding, text })),
  ),
)('undeclared $encoding is decoded: $language (issue 11, 1.3)', ({ encoding, text }) => {
  const bytes = encode(text, encoding)
  const written = new TextDecoder(encoding).decode(bytes)
  expect(written.length).toBeGreaterThan(490)
  expect(decodeText(bytes)).toMatchObject({ text: written })
})
