/** A client of the card price API. It handles batches, pages, retries, ETags and errors. */
import { askAll, batchesOf } from './batches.ts'
import { type CallOptions, type CardPricesOptions, Connection, type RateLimit, type Tagged } from './connection.ts'
import { DataChangedError, dataChanged, networkError, notFound, unknownCard } from './errors.ts'
import type {
  BatchCard,
  CardListing,
  CardSet,
  Changes,
  CsvOption,
  ExtendedCard,
  Game,
  GameInfo,
  GamesParams,
  HistoryByDays,
  HistoryByPeriod,
  HistoryParams,
  Listing,
  ListParams,
  Match,
  MatchLine,
  MoversListing,
  Page,
  PricesParams,
  SearchParams,
  SetDetails,
  SetsParams,
  Suggestion,
  SuggestParams,
  View,
  Viewed,
  ViewOptions,
  WalkOptions,
} from './types.ts'

export type { CallOptions, CardPricesOptions, RateLimit } from './connection.ts'
export * from './errors.ts'
export type * from './types.ts'

const cardsPageMax = 100
const setsPageMax = 200

const cardPath = (id: string): string => `/v1/cards/${pathPart(id, unknownCard)}`
const gamePart = (game: string): string => pathPart(game, () => notFound('There is no such game.'))

export class CardPrices {
  readonly #connection: Connection
  /** Finds cards whose names match `q`. */
  readonly search: CardListing<SearchParams>
  /** Lists the cards of a game, a set or an external id. */
  readonly list: CardListing<ListParams>
  readonly sets: Listing<SetsParams, CardSet>
  /** Lists the cards whose prices rose or fell most. */
  readonly movers: MoversListing

  constructor(options: CardPricesOptions) {
    this.#connection = new Connection(options)
    this.search = this.#listing('/v1/search', cardsPageMax) as CardListing<SearchParams>
    this.list = this.#listing('/v1/cards', cardsPageMax) as CardListing<ListParams>
    this.sets = this.#listing('/v1/sets', setsPageMax)
    this.movers = this.#listing('/v1/movers', cardsPageMax) as MoversListing
  }

  /** The quota in the last response that had one. Undefined before the first. */
  get rateLimit(): RateLimit | undefined {
    return this.#connection.rateLimit
  }

  /** The version of the data: the last ETag of any response. */
  get version(): string | undefined {
    return this.#connection.version
  }

  /** Returns a card. Throws CardNotFoundError if no card has the id. */
  card(id: string, options: CallOptions & CsvOption): Promise<string>
  card<V extends Exclude<View, 'summary'> = 'full'>(id: string, options?: ViewOptions<V>): Promise<Viewed<V>>
  async card<V extends Exclude<View, 'summary'> = 'full'>(
    id: string,
    options: ViewOptions<V> = {},
  ): Promise<Viewed<V> | string> {
    return this.#data(cardPath(id), options)
  }

  /**
   * Returns a Map with each id once, in the given order. Its value is undefined if no card has the id. Twenty cards
   * cost one request. If the call throws, the error's `found` has the results so far.
   */
  cards<V extends View = 'summary'>(
    ids: Iterable<string>,
    { view, ...options }: ViewOptions<V> = {},
  ): Promise<Map<string, Viewed<V, BatchCard> | undefined>> {
    return this.#byId('/v1/cards/batch', ids, { view }, ({ id }) => id, options)
  }

  /** Finds the card of each line, in the order of the lines. Twenty lines cost one request. */
  async match(lines: Iterable<MatchLine>, options: CallOptions = {}): Promise<Match[]> {
    const batches = batchesOf([...lines])
    const answers: Match[][] = []
    const found = () => batches.flatMap((batch, number) => answers[number] ?? batch.map(() => undefined))
    const ask = async (cards: MatchLine[], number: number) => {
      answers[number] = await this.#post('/v1/match', JSON.stringify({ cards }), options)
    }
    await askAll(batches, ask, found)
    return answers.flat()
  }

  suggest(params: SuggestParams): Promise<Suggestion[]> {
    return this.#data('/v1/suggest', params)
  }

  /** Returns a card's prices of the last days, by `period` (form A). Default `30d`. */
  history(id: string, params: HistoryParams & CsvOption): Promise<string>
  history(id: string, params?: HistoryParams): Promise<HistoryByPeriod>
  async history(id: string, params: HistoryParams = {}): Promise<HistoryByPeriod | string> {
    return this.#data(`${cardPath(id)}/history`, params)
  }

  /** Returns a card's prices of the last `days` days (form B). Default 30. */
  prices(id: string, params: PricesParams & CsvOption): Promise<string>
  prices(id: string, params?: PricesParams): Promise<HistoryByDays>
  async prices(id: string, params: PricesParams = {}): Promise<HistoryByDays | string> {
    return this.#data(`${cardPath(id)}/prices`, params)
  }

  /**
   * Returns the prices of many cards, as a Map with each id once, in the given order. Its value is undefined if no card
   * has the id. Twenty cards cost one request. If the call throws, the error's `found` has the results so far.
   */
  histories(
    ids: Iterable<string>,
    { period, ...options }: HistoryParams = {},
  ): Promise<Map<string, HistoryByPeriod | undefined>> {
    return this.#byId('/v1/cards/batch/history', ids, { period }, ({ cardId }) => cardId, options)
  }

  async changes(id: string, options: CallOptions = {}): Promise<Changes> {
    return this.#data(`${cardPath(id)}/changes`, options)
  }

  /** Returns the games. `view: 'extended'` adds the language of their cards, and the words that lists use for them. */
  games(params: GamesParams = {}): Promise<GameInfo[]> {
    return this.#data('/v1/games', params)
  }

  /**
   * Returns a set, with its numbers of cards by printing and by rarity. Throws NotFoundError if there is no such set.
   */
  async set(game: Game, code: string, options: CallOptions = {}): Promise<SetDetails> {
    return this.#data(
      `/v1/sets/${gamePart(game)}/${pathPart(code, () => notFound('The game has no such set.'))}`,
      options,
    )
  }

  /** Yields all cards of a game as they arrive. Throws if the download breaks off. */
  async *bulk(game: Game, options: CallOptions = {}): AsyncGenerator<ExtendedCard, void, undefined> {
    let rest = ''
    for await (const piece of this.#connection.pieces(`/v1/bulk/${gamePart(game)}`, options)) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop()!
      for (const line of lines) yield parsed(line)
    }
    if (rest !== '') throw networkError('CONNECTION_FAILED', `the download of ${game} broke off`)
  }

  /**
   * True if the data has changed since the version `since`, such as the `version` of an earlier run. Without `since`,
   * compares with this client's last request of the path. Then the first request of a path returns true.
   */
  changed(
    path: string,
    { since, ...options }: CallOptions & { readonly since?: string | undefined } = {},
  ): Promise<boolean> {
    if (!path.startsWith('/')) return Promise.reject(new TypeError('a path begins with /'))
    return this.#connection.changed(path, since === undefined ? options : { ...options, tag: since })
  }

  /** Sends the ids in batches, and returns the items by id. @param more further fields of the body */
  async #byId<Item>(
    path: string,
    ids: Iterable<string>,
    more: object,
    idOf: (item: Item) => string,
    options: CallOptions,
  ): Promise<Map<string, Item | undefined>> {
    const batches = batchesOf([...new Set(ids)])
    const answers: Item[][] = []
    const found = () => {
      const items = new Map<string, Item | undefined>()
      batches.forEach((batch, number) => {
        const byId = new Map(answers[number]?.map((item) => [idOf(item), item]))
        if (answers[number] !== undefined) for (const id of batch) items.set(id, byId.get(id))
      })
      return items
    }
    const ask = async (ids: string[], number: number) => {
      answers[number] = await this.#post(path, JSON.stringify({ ids, ...more }), options)
    }
    await askAll(batches, ask, found)
    return found()
  }

  #listing<Params, Item>(path: string, limitMax: number): Listing<Params, Item> {
    const page = async (params?: Params) => (await this.#get<Page<Item>>(path, params ?? {})).body
    const get = this.#get.bind(this)<Page<Item>>
    const all = async function* (params?: Params & WalkOptions) {
      const { onRestart, ...rest }: WalkOptions & CallOptions & Asked = params ?? {}
      const first = { limit: limitMax, offset: 0, ...rest }
      let given = { ...first }
      let version: string | undefined
      let canRestart = onRestart !== undefined
      for (;;) {
        try {
          const { body, tag } = await get(path, given, version)
          // A proxy may drop If-Match, so the server can't compare the versions.
          if (version !== undefined && bare(tag) !== bare(version)) throw dataChanged()
          version = tag ?? undefined
          yield* body.data
          given.offset += body.limit
          if (given.offset >= body.total || body.data.length === 0) return
        } catch (error) {
          if (!(error instanceof DataChangedError) || !canRestart) throw error
          canRestart = false
          version = undefined
          given = { ...first }
          onRestart!()
        }
      }
    }
    return Object.assign(page, { all })
  }

  /**
   * @param given the parameters of the query, and the options of the call
   * @param required the version that the data must have
   */
  #get<Body>(path: string, given: CallOptions & Asked, required?: string): Promise<Tagged<Body>> {
    const { signal, timeoutMs, csv, changedSince, ...params } = given
    const query = new URLSearchParams()
    const sent = { changed_since: changedSince, ...params, format: csv ? 'csv' : undefined }
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) query.set(name, String(value))
    const address = `${path}?${query}`.replace(/\?$/, '')
    return this.#connection.tagged(address, { signal, timeoutMs, required }, csv)
  }

  async #data<Data>(path: string, given: CallOptions & Asked): Promise<Data> {
    const { body } = await this.#get<{ data: Data }>(path, given)
    return given.csv ? (body as Data) : body.data
  }

  async #post<Data>(path: string, body: string, options: CallOptions): Promise<Data> {
    return (await this.#connection.json<{ data: Data }>(path, { ...options, body })).data
  }
}

/** The parameters that have other names in the query. */
interface Asked {
  readonly csv?: boolean
  readonly changedSince?: string | undefined
}

/** Returns the tag without `W/`, because a proxy that compresses makes tags weak. */
const bare = (tag: string | null) => tag?.replace(/^W\//, '')

function parsed(line: string): ExtendedCard {
  try {
    return JSON.parse(line)
  } catch {
    throw networkError('INVALID_RESPONSE', 'a line of the download is not JSON')
  }
}

/** The server accepts at most 4 KiB of request line and headers. */
const pathPartCharsMax = 3000

/**
 * Returns the text encoded as part of a path. Throws `missing()` if no path can carry the text, because nothing on the
 * server can then have it. `fetch` treats `.` and `..` as steps in the path, half a surrogate pair has no encoding, and
 * a longer text does not fit into a request.
 */
function pathPart(text: string, missing: () => Error): string {
  let part = ''
  try {
    part = encodeURIComponent(text)
  } catch {
    // The text contains half of a surrogate pair.
  }
  if (part === '' || part === '.' || part === '..' || part.length > pathPartCharsMax) throw missing()
  return part
}
