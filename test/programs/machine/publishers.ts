/**
 * TCGCSV and MTGJSON on port 443 of a machine of the tests, whose /etc/hosts leads there.
 * Usage: publishers.ts CERT KEY
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { mirrorGroups } from '../../fetch/mirror-groups.ts'
import { PublicSource, tcgcsvFiles } from '../../fetch/public-source.ts'
import { allPrices, allPrintings } from '../../import/magic.ts'

const files = tcgcsvFiles([
  ...mirrorGroups,
  {
    category: 63,
    id: 2944,
    name: 'Release Special Booster',
    abbreviation: 'BT01-03',
    published: '2021-01-22',
    products: [
      { id: 234001, name: 'Agumon', number: 'BT1-010', rarity: 'C', prices: [{ subType: 'Normal', market: 0.4 }] },
    ],
  },
])
const digimon = { categoryId: 63, name: 'Digimon Card Game', displayName: 'Digimon Card Game' }
files.set('/tcgplayer/categories', JSON.stringify({ success: true, errors: [], results: [digimon] }))
for (const [name, text] of Object.entries({ AllPrintings: allPrintings(), AllPrices: allPrices() })) {
  const content = gzipSync(text)
  files.set(`/api/v5/${name}.json.gz`, content)
  files.set(`/api/v5/${name}.json.gz.sha256`, createHash('sha256').update(content).digest('hex'))
}
const source = await PublicSource.start(files)
const port = Number(new URL(source.url).port)
const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path))
createServer({ cert: cert!, key: key! }, (socket) => {
  const to = connect(port, '127.0.0.1')
  socket.pipe(to).pipe(socket)
  socket.on('error', () => to.destroy())
  to.on('error', () => socket.destroy())
}).listen(443, '127.0.0.1', () => console.log('publishing'))
