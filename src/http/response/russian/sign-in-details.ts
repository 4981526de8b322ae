import type { DetailPair } from './detail-pair.ts'

/** Details of passwords, sessions, API keys and tokens of OAuth clients, and of the addresses about the server. */
export const SIGN_IN_DETAILS: readonly DetailPair[] = [
  ['a password has at least $1 characters', 'в пароле не меньше $1 символов'],
  ['a password has at most $1 characters', 'в пароле не больше $1 символов'],
  ['a password is more than one character over and over', 'пароль не может состоять из одного повторяющегося символа'],
  ['a password differs from the user name', 'пароль не может совпадать с именем пользователя'],
  ['too many logins are waiting', 'слишком много входов ожидают проверки'],
  [
    'a user name has 1 to 100 characters, no colon, and no space at its ends',
    'в имени пользователя от 1 до 100 символов, без двоеточия и без пробелов по краям',
  ],
  [
    'Only a key that a login gave can be logged out; an API key is revoked.',
    'Завершить сеанс можно только ключом, полученным при входе; ключ API отзывают.',
  ],
  ['a key has a name of 1 to $1 characters', 'в имени ключа от 1 до $1 символов'],
  [
    'a key ends in the future, after five years at most',
    'срок ключа заканчивается в будущем, не позже чем через пять лет',
  ],
  [
    'name a role at least, or leave roles out for all of them',
    'укажите хотя бы одну роль или не указывайте roles, чтобы ключ имел все роли',
  ],
  ['the user does not have $1; $2', 'у пользователя нет $1; $2'],
  ['the user has no roles', 'ролей у него нет'],
  ['the user has $1', 'его роли: $1'],
  [
    'The user has $1 API keys already: revoke one first.',
    'У пользователя уже есть ключи API ($1): сначала отзовите один.',
  ],
  ['make keys of other users', 'создавать ключи других пользователей'],
  ['revoke other keys', 'отзывать другие ключи'],
  ['make API keys', 'создавать ключи API'],
  [
    'a key that an API key makes ends no later than it',
    'ключ, созданный с помощью ключа API, заканчивается не позже него',
  ],
  [
    'name the roles: a key that an API key makes for another user has roles of that key only',
    'укажите роли: ключ, который ключ API создаёт для другого пользователя, имеет только роли этого ключа API',
  ],
  [
    'this API key has no roles, so it makes no key with $1',
    'у этого ключа API нет ролей, поэтому он не создаёт ключ с $1',
  ],
  [
    'this API key has $1, so it makes no key with all roles',
    'роли этого ключа API: $1, поэтому он не создаёт ключ со всеми ролями',
  ],
  ['this API key has $1, so it makes no key with $2', 'роли этого ключа API: $1, поэтому он не создаёт ключ с $2'],
  ['a client has a name of 1 to 100 characters', 'в имени клиента от 1 до 100 символов'],
  [
    'The client has no active user to act as (oauth_entity.user).',
    'У клиента нет действующего пользователя, от имени которого он работает (oauth_entity.user).',
  ],
  [
    'The refresh token has ended, or is none of this client.',
    'Токен обновления истёк или не принадлежит этому клиенту.',
  ],
  ['see how the server does', 'смотреть показатели сервера'],
  ['nothing: this server does not have that API', 'ничего: этого API на сервере нет'],
  [
    'The database has no Docket schema; restart Docket to create it',
    'В базе данных нет схемы Docket; перезапустите Docket, чтобы создать её',
  ],
]
