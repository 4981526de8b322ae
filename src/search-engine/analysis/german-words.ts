/**
 * The words of German compounds: nouns, stems of verbs and some adjectives of offices, technology, law, trade, home and nature.
 * We wrote this list for this purpose; no dictionary was copied (docs/decisions/0022).
 *
 * A compound whose meaning differs from its parts (`bahnhof`, `kunststoff`) is listed as a word, so that it is not split.
 */
export const germanWords: ReadonlySet<string> = new Set(
  `
  abbildung abend abfall abfrage abgabe abgas abgleich abkommen ablage ablauf ablehnung abmeldung abnahme abo abonnement abrechnung
  absage abschluss abschnitt absender absicht abstand abstimmung abteilung abwasser achse acker adapter adel ader adler adresse affe
  agentur akte aktie aktion alarm album alkohol alltag altar alter ampel amt analyse anbieter anfang anfrage angebot angel angst anhang
  anhänger anlage anlass anleitung anmeldung annahme anruf anschluss anschrift ansicht anspruch anstalt antenne antrag antrieb antwort
  anwalt anweisung anwendung anwender anwesenheit anzahl anzeige anzug apfel apotheke apparat arbeit arbeiter arbeitgeber architekt archiv arm
  art artikel arznei arzt asphalt asyl atem atom aufgabe auflage aufnahme aufsicht auftrag aufwand aufzug auge ausbildung ausdruck
  ausfall ausgabe ausgang auskunft ausland ausnahme ausrüstung ausschluss ausschuss aussicht ausstattung ausstellung austausch auswahl
  ausweis auszahlung auszug auto automat autor axt
  bach backup bad bagger bahn bahnhof bahnsteig balken balkon ball band bank banner bart base basis bau bauch bauer baum baustelle beamter becher
  becken bedarf bedienung bedingung beere befehl begleitung begriff begründung behandlung behörde bein beispiel beitrag bekleidung
  belastung beleg beleuchtung benachrichtigung benutzer benzin beratung berater berechnung berechtigung bereich berg bericht beruf
  beschaffung bescheid bescheinigung beschreibung beschwerde besen besitz besprechung bestand bestätigung bestellung besteller besuch besucher
  beteiligung betrag betreuung betrieb bett beutel bewegung beweis bewerber bewerbung bewertung bezahlung beziehung bezirk bibel bibliothek biene
  bier bild bilanz bildschirm bildung binde biologie birne blatt blech blei bleistift blick blitz block blume bluse blut blüte boden bogen bohne bohrer bombe
  boot bord börse bote brand brauer braut breite bremse brett brief brille bronze brot bruch brücke bruder brunnen brust buch buchhaltung
  buchung buchse buchstabe bucht budget bügel bühne bund bundes burg bürger bürgermeister büro bürste bus busch butter
  camping chef chemie chip chor christ client cloud code computer container creme
  dach dame dampf darlehen daten datei datenbank datum dauer daumen deck decke defekt demokratie denkmal depot design dichtung dieb diebstahl dienst
  dienstag dienstleistung diesel diät display diskussion dokument dokumentation dollar dom donner dorf dose drache draht dreck drehung droge
  druck drucker duft dünger durchfluss durchgang durchmesser dusche
  ecke edelstahl ehe ehre ei eiche eid eigentum eigentümer eimer einbau einbruch einfahrt einfuhr eingabe eingang eingriff einheit einkauf einkommen
  einladung einnahme einrichtung einsatz einstellung eintrag eintritt einwilligung einwohner eis eisen eisenbahn elektrik elektro elektronik element
  eltern email empfang empfänger energie engel entdeckung entfernung entgelt entlassung entscheidung entsorgung entwicklung entwickler entwurf epoche
  erbe erbse erdbeben erdbeere erde erdgas erdgeschoss erdöl ereignis erfahrung erfassung erfinder erfindung erfolg ergebnis erhebung erhöhung erholung
  erklärung erlaubnis erlebnis ermittlung ernährung ernte eröffnung ersatz erstattung erzeuger erzeugung erziehung esel essen essig etage etikett euro
  export
  fabrik fach faden fahne fahrer fahrrad fahrt fahrzeug faktor fall falle falte familie farbe fass fassade faser feder fehler feier feiertag feind feld fell
  fenster ferien fern fernseher fernsehen fest festplatte fett feuchtigkeit feuer feuerwehr fieber figur filiale film filter filz finanz finanzierung finger firma firmen fisch
  fläche flagge flamme flansch flasche fleck fleisch fliege fliese flöte flotte fluch flucht flüchtling flug flugzeug flughafen flur fluss flüssigkeit
  flut folge folie förderung form format formel formular forscher forschung forst fortbildung foto fracht frage fragebogen frau freigabe freiheit freizeit
  frieden friedhof frist frosch frost frucht frühling frühstück führer führerschein führung fund funk funktion fuß fußball futter
  gabel galerie gang garage garantie garn garten gas gast gasse gattung gebäude gebiet gebirge gebrauch gebühr geburt geburtstag gedicht gefahr gefängnis gefäß
  gefühl gegenstand gehalt gehäuse gehirn geist geld gelenk gemälde gemeinde gemeinschaft gemüse genehmigung generation generator gepäck
  gerät gericht geruch gerüst gesang geschäft geschäftsführer geschenk geschichte geschirr geschlecht geschmack geschwindigkeit gesellschaft gesetz gesicht
  gespräch gestalt gestell gesundheit getränk getreide getriebe gewalt gewebe gewehr gewerbe gewerkschaft gewicht gewinn gewitter gewürz gift
  gips gitarre gitter glas glaube gleis glocke glück gold golf gott grab grad gras grenze griff grill größe grund gründung grundstück gruppe gurke gurt gürtel
  gut gutachten güter gymnasium
  haar hafen haft haftung hagel hahn haken halle hals halter haltestelle haltung hammer hand handel händler handlung handschuh handtuch handwerk handy hang hardware
  harz hase haube haufen haupt haus haushalt haut hebel hecke heer heft heide heil heim heimat heirat heizung held helfer helm hemd herbst herd herkunft herr
  herrschaft hersteller herstellung herz heu hilfe himmel hindernis hirsch hitze hobby hochschule hochzeit hof höhe höhle holz honig honorar horn hose hotel hubschrauber huhn hülle
  hülse hund hunger hut hütte hygiene
  idee identität import impfung impfstoff index industrie infektion information informatik ingenieur inhaber inhalt insekt insel installation instanz institut instrument
  internet interview inventar inventur investition
  jacke jagd jäger jahr jahrhundert jubiläum jugend junge jurist justiz juwel
  kabel kabine kader kaffee käfer käfig kaiser kajüte kalb kalender kalk kälte kamera kamin kamm kammer kampf kampagne kanal kandidat kanne kante kapital kapitel kappe
  kapsel karriere karte kartoffel karton käse kasse kasten katalog katastrophe katze kauf käufer kaufmann kehle keil keks keller kern kerze kessel kette keule kiefer kies
  kind kinn kino kirche kirsche kissen kiste klage klammer klang klappe klasse klavier kleber kleid kleidung klemme klima klinge klinik klingel kloster knie knoblauch knochen
  knopf knoten koch koffer kohl kohle kollege kombination kommission kommunikation komponente komposition kompass kongress könig konferenz konflikt konstruktion konsum
  kontakt kontext konto kontrolle konzept konzern konzert kopf kopie kopierer kopfhörer korb kork korn körper korrektur kosmetik kosten kraft kragen kran krankheit krankenhaus kranz kredit kreis
  kreuz kreuzung krieg kriminalität krise krone küche kuchen kugel kuh kühlung kühlschrank kultur kummer kunde kündigung kunst kunststoff künstler kupfer kupplung kuppel kur kurs kurve küste
  labor lack laden ladung lager lage lampe land landschaft landwirtschaft länge lappen lärm laser last laster lastwagen laub lauf laune laus laut lautsprecher lawine leben lebensmittel leber leck
  leder leer legende lehre lehrer leiche leim leistung leiter leitung leser lesung lexikon licht liebe lied liefer lieferant lieferung liege linie linse lippe liste literatur lizenz lob loch löffel logo lohn
  löschung lösung lotse löwe luft luftballon luftfahrt lüftung lunge lust luxus
  macht mädchen magazin magen magnet mahlzeit mahnung mais makler maler management mandant mandat mangel mann mannschaft mantel mappe märchen marke marketing markt marmor
  mars maschine maske masse maßnahme mast material mathematik matratze mauer maus maut mechanik medaille medien medikament medizin meer mehl mehrheit meile meinung meister meldung
  melder melodie menge mensch menü messe messer messung metall methode miete mieter mikroskop milch militär mine mineral minister ministerium minute mischung missbrauch mission mitarbeiter mitglied
  mittag mittel mittelalter mitteilung mittwoch möbel mode modell moderator modul monat mond monitor montag montage moor moral mord morgen motor motorrad mücke müdigkeit mühle müll mund münze muschel museum musik musiker muskel muster mutter mütze mythos
  nachbar nachfrage nachricht nachweis nacht nachteil nadel nagel nahrung naht name nase nation natur nebel neigung nerv nest netz netzteil netzwerk niederlage niederlassung niere niveau norm not
  notar note notiz notfall nummer nuss nutzer nutzung
  oase oberfläche objekt obst ofen offizier öffentlichkeit öffnung ohr öl oper operation opfer optik option orchester ordner ordnung organ organisation orgel orden original ort osten ostern ozean
  paar pacht packung paket palast palette panne panzer papier pappe parameter park parken parkplatz parlament partei partner pass passagier passwort pate patent patient patrone pause pavillon pension person
  personal perspektive pfad pfand pfanne pfarrer pfeffer pfeife pfeil pferd pflanze pflaster pflege pfleger pflicht pfosten pfütze phase philosophie physik pilot pilz pinsel pistole plan planet planung plastik platine platte platz plattform
  police politik politiker polizei polizist polster portal portion porto porzellan post posten postfach prämie praktikum praktikant praxis preis presse priester prinz priorität privat probe problem produkt produktion professor profil programm programmierer
  projekt projektor propeller protein protest protokoll provision prozent prozess prozessor prüfer prüfung publikum pulver pumpe punkt puppe putz
  qualität quartal quelle quittung quote
  rabatt rad radar radio rahmen rakete ramme rand rasen rat rate rathaus rätsel raub rauch raum reaktion reaktor rechner rechnung recht rede redaktion reform regal regel regelung regen region register regierung reich reif reifen
  reihe reiniger reinigung reis reise reiter reiz rekord religion rennen rente rentner reparatur reserve ressource rest restaurant retter rettung revision revolution rezept rhythmus richter richtlinie richtung riemen rind ring rinne
  risiko riss ritter rock roggen rohr rohstoff rolle roller rollstuhl roman rose rost route router rubrik rücken rückgabe rucksack ruder ruf ruhe ruhm ruine rumpf runde
  saal saat sache sack saft säge sahne salat salbe saldo salz sammlung sammler sand sanierung sänger sarg satellit satz sauerstoff säule säure schach schacht schaden schädel schaf schale schall schalter schaltung schatten schatz
  schauspieler scheck scheibe schein scheinwerfer schema schenkel schere scherz schicht schicksal schiene schiff schild schilf schimmel schinken schirm schlaf schlag schlamm schlange schlauch schleife schleuse schließung schlitten schlitz
  schloss schluss schlüssel schmerz schmied schmuck schmutz schnabel schnecke schnee schneider schnitt schnur schokolade schrank schranke schraube schrift schriftsteller schritt schrott schub schublade schuh schuld schulden schule schüler schulung
  schulter schuss schüssel schutz schwamm schwanz schwein schweiß schwelle schwert schwester schwimmer schwimmbad see seele segel seide seife seil seite sekretär sekunde semester seminar sender sendung senf sensor serie server service sessel
  sicherheit
  sieb sieg siegel siedlung signal silber sinn sirene sitte sitz sitzung skelett ski slip socken sofa software sohle sohn soldat sommer sonde sonne sorge sorte sozial spalte spannung spaß speicher speise sperre spiegel
  spiel spieler spielzeug spinne spital spitze sport sportler sprache sprecher sprung spritze spule spur staat stab stachel stadion stadt stahl stall stamm stand standard standort star start station statistik statue status stau staub stecker
  steckdose stein stelle stellung stempel steuer steuerung stich stiefel stift stiftung stil stimme stirn stock stoff stollen storch störung stoß strafe strahl strahlung strand straße strategie straßenbahn strauch streifen streik streit strich
  strecke strom strömung struktur strumpf stück student studie studium studio stufe stuhl stunde sturm sturz stütze suche sünde suppe symbol symptom system szene
  tabak tabelle tablet tablette tafel tag tagebuch tagung taille takt tal talent tank tanne tante tanz tarif tasche taschenlampe tasse tastatur taste tat täter taube taucher tausch taxi team technik techniker tee teer teich teig teil
  teilnahme teilnehmer telefon teller temperatur tempel tempo teppich termin terminal terrasse test text theater thema theorie therapie ticket tiefe tier tiger tinte tisch titel tochter tod toilette tomate ton toner tonne topf tor torte tour
  tourist trafo träger tradition training trainer traktor transport transporter traube traum trauer treffen treiber treppe tresor trick trinkwasser tritt trommel tropfen truppe tuch tuberkulose tugend tulpe tunnel tür turbine turm turnier tüte typ
  übergabe übergang übernachtung übernahme übersetzer übersetzung übersicht überstunde übertragung überwachung überweisung übung ufer uhr umbau umfang umfrage umgebung umlauf umsatz umschlag umstand umwelt umzug unfall uniform union universität
  untergrund unterhalt unterhaltung unterkunft unterlage unternehmen unternehmer unterricht unterschrift unterstützung untersuchung urkunde urlaub ursache urteil
  vase vater vene ventil ventilator verantwortung verarbeitung verband verbesserung verbindung verbot verbrauch verbraucher verbrechen verbrennung verdacht verein vereinbarung verfahren verfassung vergabe vergleich vergütung verhalten verhältnis verhandlung
  verkauf verkäufer verkehr verlag verlängerung verletzung verlust vermieter vermittlung vermögen verpackung verpflegung versammlung versand verschluss verschlüsselung version versicherung versorgung versorger verspätung versuch verteiler verteilung
  verteidigung vertrag vertreter vertretung vertrieb verwalter verwaltung verwandtschaft verzeichnis verzicht video vieh viertel virus vogel volk vollmacht volumen vorbereitung vordruck vorfall vorgang vorhang vorlage vorlesung vorrat vorschlag vorschrift vorsorge
  vorstand vorstellung vortrag vorteil vorwahl
  waage wachs wachstum wächter waffe wagen wahl wähler wald wand wanderer wanderung wange ware wäsche wartung wasser wasserstoff watte weber wechsel wechsler weg wehr weide weihnacht weihnachten wein weizen welle welt wende werbung werk werkstatt
  werkstoff werkzeug wert wesen westen wettbewerb wette wetter widerspruch widerstand wiege wiese wille wind winkel winter wirbel wirkung wirt wirtschaft wissen wissenschaft wissenschaftler witz woche wohnung wolf wolke wolle wort wunde wunder
  wunsch würfel wurm wurst wurzel wüste wut
  zahl zahlung zahn zange zauber zaun zehe zeichen zeichnung zeile zeit zeitpunkt zeitraum zeitschrift zeitung zelle zelt zement zensur zentrale zentrum zeremonie zerstörung zertifikat zettel zeuge zeugnis ziege ziegel ziel zimmer zins zinn zipfel zitrone zoll
  zone zoo zubehör zucker zufall zug zugang zugriff zulage zulassung zulieferer zunge zusage zusatz zuschlag zuschuss zustand zuständigkeit zustellung zustimmung zutritt zuweisung zwang zweck zweig zwiebel zylinder
  back bade bau biege bohr brat brenn dreh druck erd ess fahr fang flieg frei frisch früh gefrier geh gesamt glüh grab groß halb halt hart heiz hoch hör kauf klein klapp klebe koch kühl kurz lade land lang lauf lebens lehr leih leit lern lese liefer
  lösch mal mehr meld mess miet misch mit näh neben neu nutz park prüf putz rasier rast rechen rein reit rett roh roll rund sammel säge schalt schieb schlaf schleif schließ schluck schmelz schmier schneid schnell schreib schutz schweiß schwer
  schwimm sitz sonder spar speicher sperr spiel spreng sprech spritz spül steh steck steuer such tank tauch tausch teil tief trag treib trenn trink trocken voll wander warm wasch wechsel weit wend werb wohn wind zeichen ziel zieh zwischen
  blau braun gelb gold grau grün rot schwarz silber weiß
  einzel end haupt spezial standard extra innen außen ober hinter vorder nieder
  afrika amerika asien berlin china deutschland england europa frankreich hamburg italien japan österreich polen russland schweiz spanien türkei
  nord süd ost west januar februar märz april mai juni juli august september oktober november dezember sonntag samstag freitag donnerstag
  `
    .trim()
    .split(/\s+/),
)
