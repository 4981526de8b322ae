/**
 * Words without information about the subject of a text: they are left out of the index, and help to detect the language.
 *
 * English and Russian are long lists of our own: function words, auxiliaries and the adverbs of argument. The others are the
 * lists of the Snowball project (BSD), as in PostgreSQL.
 */
const stopWordText = {
  da: `
    ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
    eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor i ikke ind jeg
    jer jo kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om op os over på selv
    sig sin sine sit skal skulle som sådan thi til ud under var vi vil ville vor være været
  `,
  de: `
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern
    anderr anders auch auf aus bei bin bis bist da damit dann das dasselbe dazu daß dein deine deinem deinen deiner
    deines dem demselben den denn denselben der derer derselbe derselben des desselben dessen dich die dies diese
    dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einig
    einige einigem einigen einiger einiges einmal er es etwas euch euer eure eurem euren eurer eures für gegen
    gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in
    indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen
    keiner keines können könnte machen man manche manchem manchen mancher manches mein meine meinem meinen meiner
    meines mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner
    seines selbst sich sie sind so solche solchem solchen solcher solches soll sollte sondern sonst um und uns unse
    unsem unsen unser unses unter viel vom von vor war waren warst was weg weil weiter welche welchem welchen
    welcher welches wenn werde werden wie wieder will wir wird wirst wo wollen wollte während würde würden zu zum
    zur zwar zwischen über
  `,
  en: `
    a able about above abroad according accordingly across actually after afterwards again against ago ain't all
    allow allows almost alone along already also although always am amid among amongst an and another any anybody
    anyhow anyone anything anyway anyways anywhere apart appear appropriate are aren't around as aside ask asking
    associated at available away awfully back backward be became because become becomes becoming been before
    beforehand behind being believe below beside besides best better between beyond both brief but by came can can't
    cannot cant cause causes certain certainly clearly come comes concerning consequently consider considering
    contain containing contains corresponding could couldn't course currently d despite did didn't different do does
    doesn't doing don't done down downwards due during each eg eight either else elsewhere enough entirely
    especially et etc even ever every everybody everyone everything everywhere ex exactly example except far few
    fifth first five followed following follows for former formerly forth four from further furthermore gave get
    gets getting give given gives giving go goes going gone got gotten had hadn't happens hardly has hasn't have
    haven't having he he'd he'll he's hence her here here's hereafter hereby herein hereupon hers herself hi him
    himself his hither how how's howbeit however i i'd i'll i'm i've ie if immediate in inasmuch inc indeed indicate
    indicated indicates inner insofar instead into inward is isn't it it'd it'll it's its itself just keep keeps
    kept know known knows last lately later latter latterly least less lest let let's like liked likely little ll
    look looking looks ltd m made mainly make makes making many may maybe me mean meanwhile merely might mightn't
    more moreover most mostly much must mustn't my myself namely nd near nearly necessary need needn't needs neither
    never nevertheless new next nine no nobody non none nonetheless noone nor normally not nothing now nowhere o
    obviously of off often oh ok okay old on once one ones only onto or other others otherwise ought our ours
    ourselves out outside over overall own particular particularly per perhaps placed please plus possible
    presumably probably provides que quite qv rather rd re really reasonably regarding regardless regards relatively
    respectively right s said same saw say saying says second secondly see seeing seem seemed seeming seems seen
    self selves sensible sent serious seriously seven several shall shan't she she'd she'll she's should shouldn't
    since six so some somebody somehow someone something sometime sometimes somewhat somewhere soon sorry specified
    specify specifying still sub such sup sure t take taken takes taking tell tends th than thank thanks thanx that
    that'll that's thats the their theirs them themselves then thence there there'd there's thereafter thereby
    therefore therein theres thereupon these they they'd they'll they're they've thing things think third this
    thorough thoroughly those though three through throughout thru thus till to together too took toward towards
    tried tries truly try trying twice two un under unfortunately unless unlikely until unto up upon upwards us use
    used useful uses using usually various ve very via viz vs want wants was wasn't way we we'd we'll we're we've
    welcome well went were weren't what what's whatever when when's whence whenever where where's whereafter whereas
    whereby wherein whereupon wherever whether which while whilst whither who who's whoever whole whom whose why
    why's will willing wish with within without won't wonder would wouldn't y yes yet you you'd you'll you're you've
    your yours yourself yourselves zero
  `,
  es: `
    a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el ella ellas
    ellos en entre era erais eran eras eres es esa esas ese eso esos esta estaba estabais estaban estabas estad
    estada estadas estado estados estamos estando estar estaremos estará estarán estarás estaré estaréis estaría
    estaríais estaríamos estarían estarías estas este estemos esto estos estoy estuve estuviera estuvierais
    estuvieran estuvieras estuvieron estuviese estuvieseis estuviesen estuvieses estuvimos estuviste estuvisteis
    estuviéramos estuviésemos estuvo está estábamos estáis están estás esté estéis estén estés fue fuera fuerais
    fueran fueras fueron fuese fueseis fuesen fueses fui fuimos fuiste fuisteis fuéramos fuésemos ha habida habidas
    habido habidos habiendo habremos habrá habrán habrás habré habréis habría habríais habríamos habrían habrías
    habéis había habíais habíamos habían habías han has hasta hay haya hayamos hayan hayas hayáis he hemos hube
    hubiera hubierais hubieran hubieras hubieron hubiese hubieseis hubiesen hubieses hubimos hubiste hubisteis
    hubiéramos hubiésemos hubo la las le les lo los me mi mis mucho muchos muy más mí mía mías mío míos nada ni no
    nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque que
    quien quienes qué se sea seamos sean seas sentid sentida sentidas sentido sentidos seremos será serán serás seré
    seréis sería seríais seríamos serían serías seáis siente sin sintiendo sobre sois somos son soy su sus suya
    suyas suyo suyos sí también tanto te tendremos tendrá tendrán tendrás tendré tendréis tendría tendríais
    tendríamos tendrían tendrías tened tenemos tenga tengamos tengan tengas tengo tengáis tenida tenidas tenido
    tenidos teniendo tenéis tenía teníais teníamos tenían tenías ti tiene tienen tienes todo todos tu tus tuve
    tuviera tuvierais tuvieran tuvieras tuvieron tuviese tuvieseis tuviesen tuvieses tuvimos tuviste tuvisteis
    tuviéramos tuviésemos tuvo tuya tuyas tuyo tuyos tú un una uno unos vosostras vosostros vuestra vuestras vuestro
    vuestros y ya yo él éramos
  `,
  fi: `
    ei eivät emme en et ette että he heidän heidät heihin heille heillä heiltä heissä heistä heitä hän häneen
    hänelle hänellä häneltä hänen hänessä hänestä hänet häntä itse ja johon joiden joihin joiksi joilla joille
    joilta joina joissa joista joita joka joksi jolla jolle jolta jona jonka jos jossa josta jota jotka kanssa
    keiden keihin keiksi keille keillä keiltä keinä keissä keistä keitä keneen keneksi kenelle kenellä keneltä kenen
    kenenä kenessä kenestä kenet ketkä ketä koska kuin kuka kun me meidän meidät meihin meille meillä meiltä meissä
    meistä meitä mihin miksi mikä mille millä miltä minkä minua minulla minulle minulta minun minussa minusta minut
    minuun minä missä mistä mitkä mitä mukaan mutta ne niiden niihin niiksi niille niillä niiltä niin niinä niissä
    niistä niitä noiden noihin noiksi noilla noille noilta noin noina noissa noista noita nuo nyt näiden näihin
    näiksi näille näillä näiltä näinä näissä näistä näitä nämä ole olemme olen olet olette oli olimme olin olisi
    olisimme olisin olisit olisitte olisivat olit olitte olivat olla olleet ollut on ovat poikki se sekä sen siihen
    siinä siitä siksi sille sillä siltä sinua sinulla sinulle sinulta sinun sinussa sinusta sinut sinuun sinä sitä
    tai tallä te teidän teidät teihin teille teillä teiltä teissä teistä teitä tuo tuohon tuoksi tuolla tuolle
    tuolta tuon tuona tuossa tuosta tuotä tähän täksi tälle tältä tämä tämän tänä tässä tästä tätä vaan vai vaikka
    yli
  `,
  fr: `
    ai aie aient aies ait as au aura aurai auraient aurais aurait auras aurez auriez aurions aurons auront aux
    avaient avais avait avec avez aviez avions avons ayant ayante ayantes ayants ayez ayons c ce ces d dans de des
    du elle en es est et eu eue eues eurent eus eusse eussent eusses eussiez eussions eut eux eûmes eût eûtes furent
    fus fusse fussent fusses fussiez fussions fut fûmes fût fûtes il j je l la le leur lui m ma mais me mes moi mon
    même n ne nos notre nous on ont ou par pas pour qu que qui s sa se sera serai seraient serais serait seras serez
    seriez serions serons seront ses soient sois soit sommes son sont soyez soyons suis sur t ta te tes toi ton tu
    un une vos votre vous y à étaient étais était étant étante étantes étants étiez étions été étée étées étés êtes
  `,
  hu: `
    a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek amelyekben amelyeket amelyet amelynek ami amikor
    amit amolyan amíg annak arra arról az azok azon azonban azt aztán azután azzal azért be belül benne bár cikk
    cikkek cikkeket csak de e ebben eddig egy egyes egyetlen egyik egyre egyéb egész ehhez ekkor el ellen első elég
    elő először előtt emilyen ennek erre ez ezek ezen ezt ezzel ezért fel felé hanem hiszen hogy hogyan igen ill
    ill. illetve ilyen ilyenkor ismét ison itt jobban jó jól kell kellett keressünk keresztül ki kívül között közül
    legalább legyen lehet lehetett lenne lenni lesz lett maga magát majd meg mellett mely melyek mert mi mikor
    milyen minden mindenki mindent mindig mint mintha mit mivel miért most már más másik még míg nagy nagyobb nagyon
    ne nekem neki nem nincs néha néhány nélkül olyan ott pedig persze rá s saját sem semmi sok sokat sokkal szemben
    szerint szinte számára talán tehát teljes tovább továbbá több ugyanis utolsó után utána vagy vagyis vagyok
    valaki valami valamint való van vannak vele vissza viszont volna volt voltak voltam voltunk által általában át
    én éppen és így össze úgy új újabb újra ő ők őket
  `,
  it: `
    a abbia abbiamo abbiano abbiate ad agl agli ai al all alla alle allo anche avemmo avendo avesse avessero avessi
    avessimo aveste avesti avete aveva avevamo avevano avevate avevi avevo avrai avranno avrebbe avrebbero avrei
    avremmo avremo avreste avresti avrete avrà avrò avuta avute avuti avuto c che chi ci coi col come con contro cui
    da dagl dagli dai dal dall dalla dalle dallo degl degli dei del dell della delle dello di dov dove e ebbe ebbero
    ebbi ed era erano eravamo eravate eri ero essendo faccia facciamo facciano facciate faccio facemmo facendo
    facesse facessero facessi facessimo faceste facesti faceva facevamo facevano facevate facevi facevo fai fanno
    farai faranno farebbe farebbero farei faremmo faremo fareste faresti farete farà farò fece fecero feci fosse
    fossero fossi fossimo foste fosti fu fui fummo furono gli ha hai hanno ho i il in io l la le lei li lo loro lui
    ma mi mia mie miei mio ne negl negli nei nel nell nella nelle nello noi non nostra nostre nostri nostro o per
    perché più quale quanta quante quanti quanto quella quelle quelli quello questa queste questi questo sarai
    saranno sarebbe sarebbero sarei saremmo saremo sareste saresti sarete sarà sarò se sei si sia siamo siano siate
    siete sono sta stai stando stanno starai staranno starebbe starebbero starei staremmo staremo stareste staresti
    starete starà starò stava stavamo stavano stavate stavi stavo stemmo stesse stessero stessi stessimo steste
    stesti stette stettero stetti stia stiamo stiano stiate sto su sua sue sugl sugli sui sul sull sulla sulle sullo
    suo suoi ti tra tu tua tue tuo tuoi tutti tutto un una uno vi voi vostra vostre vostri vostro è
  `,
  nl: `
    aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge
    geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar
    me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch
    toen tot u uit uw van veel voor want waren was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo
    zonder zou
  `,
  no: `
    alle at av bare begge ble blei bli blir blitt både båe da de deg dei deim deira deires dem den denne der dere
    deres det dette di din disse ditt du dykk dykkar då eg ein eit eitt eller elles en enn er et ett etter for fordi
    fra før ha hadde han hans har hennar henne hennes her hjå ho hoe honom hoss hossen hun hva hvem hver hvilke
    hvilken hvis hvor hvordan hvorfor i ikke ikkje ingen ingi inkje inn inni ja jeg kan kom korleis korso kun kunne
    kva kvar kvarhelst kven kvi kvifor man mange me med medan meg meget mellom men mi min mine mitt mot mykje ned no
    noe noen noka noko nokon nokor nokre nå når og også om opp oss over på samme seg selv si sia sidan siden sin
    sine sitt sjøl skal skulle slik so som somme somt så sånn til um upp ut uten var vart varte ved vere verte vi
    vil ville vore vors vort vår være vært å
  `,
  pt: `
    a ao aos aquela aquelas aquele aqueles aquilo as até com como da das de dela delas dele deles depois do dos e
    ela elas ele eles em entre era eram essa essas esse esses esta estamos estas estava estavam este esteja estejam
    estejamos estes esteve estive estivemos estiver estivera estiveram estiverem estivermos estivesse estivessem
    estivéramos estivéssemos estou está estávamos estão eu foi fomos for fora foram forem formos fosse fossem fui
    fôramos fôssemos haja hajam hajamos havemos hei houve houvemos houver houvera houveram houverei houverem
    houveremos houveria houveriam houvermos houverá houverão houveríamos houvesse houvessem houvéramos houvéssemos
    há hão isso isto já lhe lhes mais mas me mesmo meu meus minha minhas muito na nas nem no nos nossa nossas nosso
    nossos num numa não nós o os ou para pela pelas pelo pelos por qual quando que quem se seja sejam sejamos sem
    serei seremos seria seriam será serão seríamos seu seus somos sou sua suas são só também te tem temos tenha
    tenham tenhamos tenho terei teremos teria teriam terá terão teríamos teu teus teve tinha tinham tive tivemos
    tiver tivera tiveram tiverem tivermos tivesse tivessem tivéramos tivéssemos tu tua tuas tém tínhamos um uma você
    vocês vos à às éramos
  `,
  ro: `
    a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste acestea acestei acestia
    acestui aceşti aceştia ai aia aici al ale alea alt alta altceva altcineva alte altfel altul alţi am ar are as
    asta astfel asupra atare ati atunci atât atâta au avea avem aveţi azi ca care ce cea cei cel cele ceva chiar ci
    cine cineva cu cum cumva când cât câte câţi că cărei căror cărui da dacă dar de deci deja deoarece despre deşi
    din dintr dintre doar după ea ei el ele era este eu fi fie fiecare fiind foarte fost fără iar ieri la le li lor
    lui mai mea mei mele mereu meu mi mult multă mulţi mă ne nici niciun nimeni nimic noastre noastră noi nostru
    noştri nu numai o ori oricare orice oricine pe pentru peste poate prea prin printr până sa sale sau se sub sunt
    suntem sunteţi să săi său ta tale te toate toată tot toţi tu tăi tău un una unde unei unele unii unor unui
    voastre voastră voi vom vor vostru vă îi îl îmi împotriva în înainte încât încă într între îşi îţi şi și
  `,
  ru: `
    а без более больше будем будет будете будешь будто буду будут будучи будь будьте бы был была были было быть в
    вам вами вас ваш ваша ваше вашего вашей вашем вашему вашею ваши вашим вашими ваших вашу вдруг ведь весь вместо
    во вокруг вон вообще вот впрочем все всегда всего всей всем всеми всему всех всею всю всюду вся всякая всякие
    всякий всяких всякое всё вы где да даже для до довольно его ее ей ему если есть еще ещё ею её же за зачем здесь
    и из из-за изза или им ими иногда иной их й к каждая каждого каждое каждой каждом каждому каждые каждый каждым
    каждых как какая какие каким каким-то какими каких какого какое какой каком какому какою какую кем ко когда кого
    ком кому конечно которая которого которое которой котором которому которою которую которые который которым
    которыми которых кроме кто куда ли либо лишь лучше м меж между меня мне много мной мною мог моги могу могут мое
    моего моей моем моему моею можем может можете можешь можно мои моим моими моих мой мочь мою моя моё мы на над
    надо наконец нам нами нас наш наша наше нашего нашей нашем нашему наши нашим нашими наших нашу не него нее ней
    некоторая некоторого некоторое некоторой некоторые некоторый некоторых нельзя нем нему нет нею неё ни нибудь
    никогда никого никому никто ним ними них ничего ничто но ну нём о об оба обе обо один одна однако одни одним
    одних одно одного одной одному он она они оно опять от откуда ото отсюда оттуда очень перед передо по поверх под
    подо пока пор пора после потом потому почему почти пред при про просто против пускай пусть путем путём раз разве
    ранее рядом с сам сама самая сами самим самими самих само самого самое самой самом самому саму самые самый самых
    свое своего своей своем своему своею свои своим своими своих свой свою своя своё себе себя сейчас сквозь сколько
    со собой собою совсем среди столько сторону т та так такая также такие таким такими таких такого такое такой
    таком такому такую там твое твоего твоей твоем твоему твои твоим твоими твоих твой твою твоя твоё те тебе тебя
    тем теми теперь тех то тобой тобою тогда того тоже той только том тому тот тою ту туда тут ты у уж уже хотел
    хотела хотели хотеть хотите хоть хотя хотят хочет хочешь хочу чаще чего чей чем чему через что чтоб чтобы чуть
    чье чьей чьем чьему чьи чьим чьими чьих чью чья чьё эта эти этим этими этих это этого этой этом этому этот эту
    является являлась являлись являлось являлся являюсь являются
  `,
  sv: `
    alla allt att av blev bli blir blivit de dem den denna deras dess dessa det detta dig din dina ditt du där då
    efter ej eller en er era ert ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom
    inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på
    samma sedan sig sin sina sitta själv skulle som så sådan sådana sådant till under upp ut utan vad var vara
    varför varit varje vars vart vem vi vid vilka vilkas vilken vilket vår våra vårt än är åt över
  `,
  tr: `
    acaba ama aslında az bazı belki biri birkaç birşey biz bu da daha de defa diye en eğer gibi hem hep hepsi her
    hiç ile ise için kez ki kim mu mü mı nasıl ne neden nerde nerede nereye niye niçin o sanki siz tüm ve veya ya
    yani çok çünkü şey şu
  `,
} as const satisfies Record<string, string>

/** The languages with a stemmer and stop words, as ISO 639-1 codes. */
export type StemmedLanguage = keyof typeof stopWordText

export const stopWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(stopWordText).map(([language, words]) => [language, new Set(words.trim().split(/\s+/))]),
)
