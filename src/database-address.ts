/**
 * Splits DATABASE_URL into places to connect to. The client library takes one host at a time. So several hosts, and the
 * order in which TLS is tried, are resolved here, as libpq does.
 */

export interface Place {
  /** `HOST:PORT` or a socket's folder. It contains no secret. */
  readonly name: string
  /** The connection string for the client library. It may contain a password. */
  readonly connectionString: string
}

export interface DatabaseAddress {
  /** The places in the order in which they are tried. */
  readonly places: readonly Place[]
  /** The names of the places, without repetition. */
  readonly name: string
}

const form = /^(postgres(?:ql)?:\/\/)([^/?#@]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/
const defaultPort = '5432'

/**
 * The TLS modes to try for some values of sslmode, in order. Without sslmode, `prefer` holds: TLS is used if the server
 * offers it.
 */
const tries: Readonly<Record<string, readonly string[]>> = {
  allow: ['disable', 'require'],
  prefer: ['require', 'disable'],
}

/** Returns undefined if the text is not an address of PostgreSQL. */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  const [, scheme, user = '', authority = '', path = '', query = ''] = form.exec(text) ?? []
  if (scheme === undefined) return undefined
  const options = new URLSearchParams(query)
  const hosts = hostsIn(authority, options)
  const mode = options.get('sslmode') ?? 'prefer'
  // With this option, the client library treats `require` as other clients do.
  options.set('uselibpqcompat', 'true')
  for (const name of ['host', 'port', 'target_session_attrs']) options.delete(name)
  const places = hosts.flatMap(({ host, port }) =>
    (host.startsWith('/') ? ['disable'] : (tries[mode] ?? [mode])).map((sslmode) => {
      options.set('sslmode', sslmode)
      if (host.startsWith('/')) {
        options.set('host', host)
        options.set('port', port)
      }
      const place = host.startsWith('/') ? '' : `${host}:${port}`
      return {
        name: host.startsWith('/') ? host : place,
        connectionString: `${scheme}${user}${place}${path}?${options}`,
      }
    }),
  )
  const isValid = ({ connectionString }: Place) => URL.canParse(connectionString.replace('@/', '@localhost/'))
  if (!places.every(isValid)) return undefined
  return { places, name: [...new Set(places.map(({ name }) => name))].join(',') }
}

interface Host {
  readonly host: string
  readonly port: string
}

/**
 * The hosts of the address: those before the path, or those of the options `host` and `port`, which can name the folder
 * of a socket.
 */
function hostsIn(authority: string, options: URLSearchParams): Host[] {
  const ports = (options.get('port') ?? '').split(',')
  const portAt = (i: number) => ports[i] || ports[0] || defaultPort
  const named = options.get('host')
  if (named !== null) return named.split(',').map((host, i) => ({ host, port: portAt(i) }))
  return authority.split(',').map((each, i) => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(each) ?? []
    return { host: decodeURIComponent(host) || 'localhost', port: port || portAt(i) }
  })
}
