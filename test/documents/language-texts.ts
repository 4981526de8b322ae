/** A text of at least 500 characters, and the encodings in which files of its language are written. */
export interface LanguageText {
  readonly language: string
  /** Names of iconv-lite, parted by spaces. */
  readonly encodings: string
  readonly text: string
}

export const languageTexts: readonly LanguageText[] = [
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
    encodings: 'windows-1254 iso-8859-9',
    text: 'Değerli müşterimiz, bu sabah aldığımız siparişiniz için teşekkür ederiz. Ürünler en geç yarın gönderilecek ve teslimatın durumu hakkında size elektronik posta ile bilgi vereceğiz. Herhangi bir sorunuz olursa, her iş günü saat sekizden altıya kadar hizmet veren destek bölümümüze başvurabilirsiniz. Lütfen teslim alırken paketin hasar görüp görmediğini kontrol ediniz. Olası kusurları doğrudan taşıyıcıya bildirmeniz gerekir, aksi takdirde şikâyetiniz kabul edilmeyebilir. Hizmetlerimizden memnun kalacağınıza ve yakında yeniden görüşeceğimize inanıyoruz.',
  },
  {
    language: 'he',
    encodings: 'windows-1255 iso-8859-8',
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
    encodings: 'gb18030 gb2312',
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
    encodings: 'iso-8859-5 windows-1251 koi8-r ibm866 ibm855 maccyrillic',
    text: 'Уважаемые клиенты, благодарим вас за заказ, который мы получили сегодня утром. Товар будет отправлен не позднее завтрашнего дня, а о ходе доставки мы сообщим вам по электронной почте. Если у вас возникнут вопросы, вы можете обратиться в наш отдел поддержки, который работает каждый будний день с восьми до шести часов. Просим вас при получении проверить, не повреждена ли упаковка. О недостатках сообщите сразу курьеру, иначе претензия не будет принята. Надеемся, что вы останетесь довольны нашими услугами и скоро вернётесь.',
  },
  {
    language: 'hu',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Tisztelt Ügyfeleink, köszönjük a megrendelést, amelyet ma reggel kaptunk meg. Az árut legkésőbb holnap feladjuk, és a kézbesítés menetéről elektronikus levélben értesítjük önöket. Ha bármilyen kérdésük van, forduljanak ügyfélszolgálatunkhoz, amely minden munkanapon nyolctól hat óráig működik. Kérjük, az átvételkor ellenőrizzék, hogy nem sérült-e meg a csomagolás. Az esetleges hibákat azonnal jelezzék a futárnak, különben a bejelentést nem tudjuk elfogadni. Reméljük, hogy elégedettek lesznek szolgáltatásainkkal, és hamarosan újra találkozunk.',
  },
  {
    language: 'sk',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Vážení zákazníci, ďakujeme vám za objednávku, ktorú sme prijali dnes ráno. Tovar bude odoslaný najneskôr zajtra a o priebehu doručenia vás budeme informovať elektronickou poštou. Ak máte akékoľvek otázky, môžete sa obrátiť na naše oddelenie podpory, ktoré je k dispozícii každý pracovný deň od ôsmej do šiestej hodiny. Žiadame vás, aby ste pri prevzatí zásielky skontrolovali, či obal nie je poškodený. Prípadné chyby oznámte hneď doručovateľovi, inak nebude možné reklamáciu uznať. Veríme, že budete s našimi službami spokojní a čoskoro sa vrátite.',
  },
  {
    language: 'sl',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Spoštovane stranke, zahvaljujemo se vam za naročilo, ki smo ga prejeli danes zjutraj. Blago bo odposlano najpozneje jutri, o poteku dostave pa vas bomo obveščali po elektronski pošti. Če imate kakršna koli vprašanja, se lahko obrnete na naš oddelek za podporo, ki je na voljo vsak delovni dan od osmih do šestih. Prosimo vas, da ob prevzemu preverite, ali ovojnina ni poškodovana. Morebitne napake sporočite neposredno dostavljavcu, sicer pritožbe ne bomo mogli upoštevati. Upamo, da boste z našimi storitvami zadovoljni in da se kmalu spet srečamo.',
  },
  {
    language: 'hr',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Poštovani kupci, zahvaljujemo vam na narudžbi koju smo primili jutros. Roba će biti poslana najkasnije sutra, a o tijeku dostave obavještavat ćemo vas elektroničkom poštom. Ako imate bilo kakvih pitanja, možete se obratiti našem odjelu podrške koji je dostupan svakog radnog dana od osam do šest sati. Molimo vas da pri preuzimanju provjerite je li ambalaža oštećena. Moguće nedostatke prijavite izravno dostavljaču, inače reklamaciju nećemo moći prihvatiti. Nadamo se da ćete biti zadovoljni našim uslugama i da ćemo se uskoro opet vidjeti.',
  },
  {
    language: 'ro',
    encodings: 'iso-8859-2 windows-1250',
    text: 'Stimaţi clienţi, vă mulţumim pentru comanda pe care am primit-o în această dimineaţă. Marfa va fi expediată cel târziu mâine, iar despre mersul livrării vă vom informa prin poştă electronică. Dacă aveţi întrebări, vă puteţi adresa secţiei noastre de asistenţă, care vă stă la dispoziţie în fiecare zi lucrătoare de la opt la şase. Vă rugăm să verificaţi la primire dacă ambalajul nu este deteriorat. Eventualele lipsuri trebuie anunţate direct curierului, altfel reclamaţia nu va putea fi primită. Sperăm că veţi fi mulţumiţi şi că ne vom revedea în curând.',
  },
  {
    language: 'lv',
    encodings: 'windows-1257',
    text: 'Cienījamie klienti, pateicamies par pasūtījumu, ko saņēmām šorīt. Preces tiks nosūtītas vēlākais rīt, un par piegādes gaitu mēs jūs informēsim pa elektronisko pastu. Ja jums rodas jautājumi, varat vērsties mūsu atbalsta nodaļā, kas strādā katru darba dienu no astoņiem līdz sešiem. Lūdzam saņemšanas brīdī pārbaudīt, vai iepakojums nav bojāts. Par iespējamiem trūkumiem ziņojiet tieši piegādātājam, citādi sūdzību nevarēsim pieņemt. Ceram, ka būsiet apmierināti ar mūsu pakalpojumiem un drīz atkal tiksimies. Rēķins ir pievienots šai vēstulei, un to var samaksāt bankā.',
  },
  {
    language: 'et',
    encodings: 'windows-1257 windows-1252',
    text: 'Lugupeetud kliendid, täname teid tellimuse eest, mille saime täna hommikul. Kaup saadetakse välja hiljemalt homme ning kättetoimetamise käigust teatame teile elektronposti teel. Kui teil tekib küsimusi, võite pöörduda meie klienditoe poole, mis töötab igal tööpäeval kaheksast kuueni. Palume kättesaamisel kontrollida, kas pakend ei ole kahjustatud. Võimalikest puudustest andke teada otse kullerile, muidu ei saa me kaebust vastu võtta. Loodame, et jääte meie teenustega rahule ja et näeme peagi jälle. Arve on sellele kirjale lisatud ning selle võib tasuda pangas.',
  },
  {
    language: 'th',
    encodings: 'tis620',
    text: 'เรียนลูกค้าทุกท่าน ขอขอบคุณสำหรับคำสั่งซื้อที่เราได้รับเมื่อเช้านี้ สินค้าจะถูกจัดส่งภายในวันพรุ่งนี้เป็นอย่างช้า และเราจะแจ้งความคืบหน้าของการจัดส่งให้ท่านทราบทางจดหมายอิเล็กทรอนิกส์ หากท่านมีคำถามใด สามารถติดต่อฝ่ายสนับสนุนของเราได้ทุกวันทำการตั้งแต่แปดโมงเช้าถึงหกโมงเย็น กรุณาตรวจสอบเมื่อรับสินค้าว่าบรรจุภัณฑ์ไม่เสียหาย หากพบข้อบกพร่องโปรดแจ้งพนักงานส่งของโดยตรง มิฉะนั้นเราจะไม่สามารถรับเรื่องร้องเรียนได้ เราหวังว่าท่านจะพอใจกับบริการของเรา และจะได้พบกันอีกในเร็ววัน ใบแจ้งหนี้แนบมากับจดหมายฉบับนี้ และสามารถชำระเงินได้ที่ธนาคารทุกสาขา',
  },
  {
    language: 'uk',
    encodings: 'windows-1251 koi8-u iso-8859-5 maccyrillic',
    text: 'Шановні клієнти, дякуємо вам за замовлення, яке ми отримали сьогодні вранці. Товар буде надіслано не пізніше завтрашнього дня, а про перебіг доставки ми повідомимо вас електронною поштою. Якщо у вас виникнуть запитання, ви можете звернутися до нашого відділу підтримки, який працює щодня з восьмої до шостої години. Просимо вас під час отримання перевірити, чи не пошкоджена упаковка. Про недоліки повідомте відразу кур’єра, інакше скаргу не буде прийнято. Сподіваємося, що ви залишитеся задоволені нашими послугами і незабаром повернетеся.',
  },
  {
    language: 'bg',
    encodings: 'windows-1251 iso-8859-5 koi8-r ibm866 ibm855 maccyrillic',
    text: 'Уважаеми клиенти, благодарим ви за поръчката, която получихме тази сутрин. Стоката ще бъде изпратена най-късно утре, а за хода на доставката ще ви уведомяваме по електронна поща. Ако имате въпроси, можете да се обърнете към нашия отдел за поддръжка, който е на разположение всеки работен ден от осем до шест часа. Молим ви при получаване да проверите дали опаковката не е повредена. За евентуални недостатъци съобщете веднага на куриера, иначе рекламацията няма да бъде приета. Надяваме се, че ще останете доволни от нашите услуги и скоро ще се видим отново.',
  },
  {
    language: 'sr',
    encodings: 'windows-1251 iso-8859-5 ibm855 maccyrillic',
    text: 'Поштовани купци, захваљујемо вам на поруџбини коју смо примили јутрос. Роба ће бити послата најкасније сутра, а о току испоруке обавештаваћемо вас електронском поштом. Ако имате било каквих питања, можете се обратити нашем одељењу за подршку, које је доступно сваког радног дана од осам до шест часова. Молимо вас да при преузимању проверите да ли је амбалажа оштећена. Могуће недостатке пријавите непосредно достављачу, иначе рекламацију нећемо моћи да прихватимо. Надамо се да ћете бити задовољни нашим услугама и да ћемо се ускоро опет видети.',
  },
  {
    language: 'be',
    encodings: 'windows-1251 iso-8859-5 maccyrillic',
    text: 'Паважаныя кліенты, дзякуем вам за заказ, які мы атрымалі сёння раніцай. Тавар будзе адпраўлены не пазней за заўтрашні дзень, а пра ход дастаўкі мы паведамім вам электроннай поштай. Калі ў вас узнікнуць пытанні, вы можаце звярнуцца ў наш аддзел падтрымкі, які працуе кожны будні дзень з васьмі да шасці гадзін. Просім вас пры атрыманні праверыць, ці не пашкоджана ўпакоўка. Пра недахопы паведаміце адразу кур’еру, інакш скарга не будзе прынята. Спадзяёмся, што вы застанецеся задаволеныя нашымі паслугамі і хутка вернецеся.',
  },
  {
    language: 'fa',
    encodings: 'windows-1256',
    text: 'مشتريان گرامي، از سفارشي كه امروز صبح دريافت كرديم سپاسگزاريم. كالاها حداكثر تا فردا فرستاده خواهند شد و روند تحويل را با پست الكترونيكي به شما خبر خواهيم داد. اگر پرسشي داريد، مي توانيد با بخش پشتيباني ما كه هر روز كاري از ساعت هشت تا شش در دسترس است تماس بگيريد. خواهشمنديم هنگام تحويل بررسي كنيد كه بسته آسيب نديده باشد. هر گونه كمبود را همان هنگام به پيك بگوييد، وگرنه نمي توانيم شكايت را بپذيريم. اميدواريم از خدمات ما راضي باشيد و به زودي دوباره شما را ببينيم. صورت حساب پيوست اين نامه است و مي توان آن را در هر بانكي پرداخت.',
  },
  {
    language: 'de',
    encodings: 'windows-1252',
    text: 'Sehr geehrte Kundinnen und Kunden, wir danken Ihnen für die Bestellung, die wir heute Morgen erhalten haben. Die Ware wird spätestens morgen verschickt, und über den Verlauf der Lieferung unterrichten wir Sie per E-Mail. Wenn Sie Fragen haben, können Sie sich an unsere Abteilung für Kundendienst wenden, die an jedem Werktag von acht bis sechs Uhr erreichbar ist. Bitte prüfen Sie beim Empfang, ob die Verpackung beschädigt ist. Mängel melden Sie bitte unmittelbar dem Boten, sonst können wir die Beschwerde nicht annehmen. Wir hoffen, dass Sie zufrieden sind, und grüßen Sie.',
  },
  {
    language: 'fr',
    encodings: 'windows-1252',
    text: 'Chers clients, nous vous remercions de la commande que nous avons reçue ce matin. La marchandise sera expédiée au plus tard demain, et nous vous informerons du déroulement de la livraison par courrier électronique. Si vous avez des questions, vous pouvez vous adresser à notre service d’assistance, qui est ouvert chaque jour ouvré de huit heures à dix-huit heures. Veuillez vérifier à la réception que l’emballage n’est pas endommagé. Signalez aussitôt les défauts au livreur, sinon la réclamation ne pourra être acceptée. Nous espérons que vous serez satisfaits.',
  },
  {
    language: 'es',
    encodings: 'windows-1252',
    text: 'Estimados clientes: les agradecemos el pedido que recibimos esta mañana. La mercancía se enviará mañana a más tardar, y les informaremos del curso de la entrega por correo electrónico. Si tienen alguna pregunta, pueden dirigirse a nuestro departamento de atención, que está disponible todos los días laborables de ocho a seis. Les rogamos que comprueben en el momento de la recepción si el embalaje está dañado. Comuniquen los defectos directamente al repartidor; de lo contrario no podremos aceptar la reclamación. ¿Alguna duda más? Estaremos encantados de ayudarles.',
  },
  {
    language: 'pt',
    encodings: 'windows-1252',
    text: 'Estimados clientes, agradecemos a encomenda que recebemos esta manhã. A mercadoria será enviada o mais tardar amanhã, e informá-los-emos do andamento da entrega por correio eletrónico. Se tiverem alguma questão, podem dirigir-se ao nosso serviço de apoio, que está disponível em todos os dias úteis das oito às dezoito horas. Pedimos que verifiquem no ato da receção se a embalagem não está danificada. Comuniquem os defeitos diretamente ao estafeta, caso contrário não poderemos aceitar a reclamação. Esperamos que fiquem satisfeitos e que voltem em breve.',
  },
  {
    language: 'sv',
    encodings: 'windows-1252',
    text: 'Bästa kunder, vi tackar för beställningen som vi fick i morse. Varorna skickas senast i morgon, och vi meddelar er med e-post hur leveransen går. Om ni har några frågor kan ni vända er till vår kundtjänst, som är öppen varje vardag från åtta till sex. Vi ber er att vid mottagandet kontrollera om förpackningen är skadad. Anmäl eventuella fel direkt till budet, annars kan vi inte godta klagomålet. Vi hoppas att ni blir nöjda med våra tjänster och att vi snart ses igen. Räkningen är bifogad till det här brevet och kan betalas på vilken bank som helst eller på vår webbplats.',
  },
  {
    language: 'is',
    encodings: 'windows-1252',
    text: 'Kæru viðskiptavinir, við þökkum ykkur fyrir pöntunina sem við fengum í morgun. Varan verður send í síðasta lagi á morgun og við látum ykkur vita með tölvupósti hvernig afhendingin gengur. Ef þið hafið einhverjar spurningar getið þið snúið ykkur til þjónustudeildar okkar sem er opin alla virka daga frá átta til sex. Vinsamlegast athugið við móttöku hvort umbúðirnar séu skemmdar. Tilkynnið galla beint til sendilsins, annars getum við ekki tekið kvörtunina til greina. Við vonum að þið verðið ánægð með þjónustuna og að við sjáumst aftur bráðlega.',
  },
]
