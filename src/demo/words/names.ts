/** A name as written, and as part of a user name. */
export type Name = readonly [written: string, latin: string]

export const russianWomen: readonly Name[] = [
  ['Анна', 'anna'],
  ['Мария', 'maria'],
  ['Елена', 'elena'],
  ['Ольга', 'olga'],
  ['Наталья', 'natalya'],
  ['Татьяна', 'tatyana'],
  ['Ирина', 'irina'],
  ['Светлана', 'svetlana'],
  ['Екатерина', 'ekaterina'],
  ['Юлия', 'yulia'],
  ['Дарья', 'darya'],
  ['Алёна', 'alena'],
  ['Ксения', 'ksenia'],
  ['Полина', 'polina'],
  ['Вера', 'vera'],
  ['Людмила', 'lyudmila'],
  ['Гульнара', 'gulnara'],
  ['Нина', 'nina'],
]

export const russianMen: readonly Name[] = [
  ['Александр', 'alexander'],
  ['Сергей', 'sergey'],
  ['Дмитрий', 'dmitry'],
  ['Андрей', 'andrey'],
  ['Алексей', 'alexey'],
  ['Максим', 'maxim'],
  ['Иван', 'ivan'],
  ['Михаил', 'mikhail'],
  ['Николай', 'nikolay'],
  ['Павел', 'pavel'],
  ['Фёдор', 'fedor'],
  ['Артём', 'artem'],
  ['Игорь', 'igor'],
  ['Роман', 'roman'],
  ['Константин', 'konstantin'],
  ['Тимур', 'timur'],
  ['Григорий', 'grigory'],
  ['Юрий', 'yury'],
]

/** The masculine form, and the ending of the feminine form ('' if both are equal). */
export const russianSurnames: readonly (readonly [Name, ending: Name])[] = [
  [
    ['Петров', 'petrov'],
    ['а', 'a'],
  ],
  [
    ['Иванов', 'ivanov'],
    ['а', 'a'],
  ],
  [
    ['Смирнов', 'smirnov'],
    ['а', 'a'],
  ],
  [
    ['Кузнецов', 'kuznetsov'],
    ['а', 'a'],
  ],
  [
    ['Попов', 'popov'],
    ['а', 'a'],
  ],
  [
    ['Соколов', 'sokolov'],
    ['а', 'a'],
  ],
  [
    ['Лебедев', 'lebedev'],
    ['а', 'a'],
  ],
  [
    ['Козлов', 'kozlov'],
    ['а', 'a'],
  ],
  [
    ['Новиков', 'novikov'],
    ['а', 'a'],
  ],
  [
    ['Морозов', 'morozov'],
    ['а', 'a'],
  ],
  [
    ['Волков', 'volkov'],
    ['а', 'a'],
  ],
  [
    ['Зайцев', 'zaytsev'],
    ['а', 'a'],
  ],
  [
    ['Павлов', 'pavlov'],
    ['а', 'a'],
  ],
  [
    ['Семёнов', 'semenov'],
    ['а', 'a'],
  ],
  [
    ['Голубев', 'golubev'],
    ['а', 'a'],
  ],
  [
    ['Виноградов', 'vinogradov'],
    ['а', 'a'],
  ],
  [
    ['Богданов', 'bogdanov'],
    ['а', 'a'],
  ],
  [
    ['Воробьёв', 'vorobyov'],
    ['а', 'a'],
  ],
  [
    ['Фёдоров', 'fedorov'],
    ['а', 'a'],
  ],
  [
    ['Киселёв', 'kiselyov'],
    ['а', 'a'],
  ],
  [
    ['Макаров', 'makarov'],
    ['а', 'a'],
  ],
  [
    ['Орлов', 'orlov'],
    ['а', 'a'],
  ],
  [
    ['Никитин', 'nikitin'],
    ['а', 'a'],
  ],
  [
    ['Захаров', 'zakharov'],
    ['а', 'a'],
  ],
  [
    ['Гаврилин', 'gavrilin'],
    ['а', 'a'],
  ],
  [
    ['Щербаков', 'shcherbakov'],
    ['а', 'a'],
  ],
  [
    ['Блинов', 'blinov'],
    ['а', 'a'],
  ],
  [
    ['Хабибуллин', 'khabibullin'],
    ['а', 'a'],
  ],
  [
    ['Ким', 'kim'],
    ['', ''],
  ],
  [
    ['Шевченко', 'shevchenko'],
    ['', ''],
  ],
  [
    ['Мельник', 'melnik'],
    ['', ''],
  ],
  [
    ['Черных', 'chernykh'],
    ['', ''],
  ],
  [
    ['Савельев', 'savelyev'],
    ['а', 'a'],
  ],
  [
    ['Ефимов', 'efimov'],
    ['а', 'a'],
  ],
  [
    ['Тарасов', 'tarasov'],
    ['а', 'a'],
  ],
  [
    ['Жуков', 'zhukov'],
    ['а', 'a'],
  ],
]

export const englishFirstNames: readonly string[] = [
  'James',
  'Olivia',
  'William',
  'Emma',
  'Henry',
  'Charlotte',
  'Thomas',
  'Amelia',
  'Daniel',
  'Sophie',
  'Matthew',
  'Grace',
  'Samuel',
  'Hannah',
  'Oliver',
  'Chloe',
  'Benjamin',
  'Lucy',
  'Edward',
  'Alice',
  'George',
  'Megan',
  'Adam',
  'Priya',
  'Omar',
  'Ingrid',
  'Rachel',
  'Tomasz',
  'Claire',
  'Patrick',
  'Zoe',
  'Victor',
  'Naomi',
  'Martin',
]

export const englishSurnames: readonly string[] = [
  'Taylor',
  'Wilson',
  'Davies',
  'Evans',
  'Walker',
  'Wright',
  'Robinson',
  'Thompson',
  'Hughes',
  'Edwards',
  'Green',
  'Hall',
  'Wood',
  'Harris',
  'Clarke',
  'Jackson',
  'Turner',
  'Hill',
  'Cooper',
  'Ward',
  'Morris',
  'Moore',
  'Baker',
  "O'Connor",
  'Patel',
  'Nowak',
  'Larsen',
  'Okafor',
  'Chambers',
  'Whitfield',
  'Ashworth',
  'Langley',
  'Mercer',
  'Fletcher',
]
