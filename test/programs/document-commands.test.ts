/**
 * The blocks of commands of docs/operating.md, docs/data.md and docs/cluster.md, typed line by line as they stand into a new machine.
 * Words in capitals are what a reader puts in. What is shown only has that in its first line, ```sh shown-only.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { documentText, projectDir } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { inProject, Machine, withoutMachine } from './machine/machine.ts'

/** The lines of each block under a heading, by `DOCUMENT HEADING`. */
const blocks = new Map<string, string[]>()
for (const name of ['operating', 'data', 'cluster']) {
  for (const section of documentText(`docs/${name}.md`).split(/^##+ /m)) {
    const heading = section.split('\n', 1)[0]!
    for (const [, block] of section.matchAll(/^```sh\n(.*?)^```$/gms)) {
      const lines = block!.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      blocks.set(`${name} ${heading}`, [...(blocks.get(`${name} ${heading}`) ?? []), ...lines])
    }
  }
}

const programs = ['nginx', 'haproxy', 'postgres', 'promtool', 'openssl', 'curl'] as const
const skip = withoutMachine || programs.map((program) => skipWithout(program)).find((line) => line !== false) || false

describe('The commands of documents on a machine of their own', { skip, timeout: 600_000 }, () => {
  let machine: Machine
  const typedBlocks: string[] = []
  /** Types a block, `values` in the place of its words. @param after lines that are typed after one which has a text */
  async function typeBlock(
    name: string,
    values: Readonly<Record<string, string>> = {},
    after: Readonly<Record<string, string>> = {},
  ) {
    const lines = blocks.get(name)
    assert.ok(lines !== undefined, `there is no block ${name}`)
    typedBlocks.push(name)
    for (const line of lines) {
      const words = Object.entries(values).reduce((text, [word, value]) => text.replaceAll(word, value), line)
      // It would serve until it is stopped.
      if (words === 'card-prices serve') await serveAWhile()
      else await machine.type(words)
      for (const [part, more] of Object.entries(after)) if (line.includes(part)) await machine.type(more)
    }
  }

  async function serveAWhile(): Promise<void> {
    await machine.type(
      'card-prices serve >serve.out 2>&1 & pid=$!; while ! grep -q "^listening" serve.out; do sleep 0.1; done',
    )
    await machine.type('kill $pid; wait $pid')
  }

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'card-price-lookup-package-'))
    const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: projectDir,
      encoding: 'utf8',
    })
    assert.equal(packed.status, 0, packed.stderr)
    machine = new Machine(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.9'])
    const openssl = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=a'
    const names = 'subjectAltName=DNS:tcgcsv.com,DNS:mtgjson.com'
    await machine.type(
      `cp ${folder}/*.tgz /root/ && cd /root && ${openssl} -addext ${names} -keyout k.pem -out /etc/a.pem 2>/dev/null`,
    )
    await machine.type('printf "127.0.0.1 localhost tcgcsv.com mtgjson.com prices.example\\n" >/etc/hosts')
    await machine.type('mkdir -p /var/log/nginx /var/lib/nginx && rm -rf /var/lib/card-prices /etc/card-prices.env')
    rmSync(folder, { recursive: true })
  })
  after(() => machine?.close())

  /** While they are there, nothing else can have port 443. */
  async function publish(): Promise<void> {
    const program = `${process.execPath} --disable-warning=ExperimentalWarning ${inProject('test/programs/machine/publishers.ts')}`
    await machine.type(`${program} /etc/a.pem /root/k.pem >/root/p.out 2>&1 & publishers=$!`)
    await machine.type('while ! grep -q publishing /root/p.out; do sleep 0.1; done')
  }

  const authority = 'echo NODE_EXTRA_CA_CERTS=/etc/a.pem >>/etc/card-prices.env'

  it('The commands of docs/operating.md install one server', async () => {
    await publish()
    await typeBlock('operating Install', {}, { chgrp: authority, 'start card-prices-update': 'kill $publishers' })
    const reply = await machine.type(
      "curl -sk -o /dev/null -w '%{http_code} ' https://prices.example/healthz http://prices.example/",
    )
    assert.match(reply, /^200 [\s\S]*301 $/)
    await typeBlock("operating The operator's pages")
  })

  it('The commands of docs/operating.md restore a backup, and upgrade', async () => {
    await machine.type('cd /root && card-prices-as accounts backup backups/ && cd /var/lib/card-prices/backups')
    await machine.type('mv "$(ls | head -n 1)" accounts-20261121T120000Z.db && cd /root')
    await typeBlock('operating Backup and restore')
    assert.match(await machine.type('card-prices-as accounts list'), /Card Shop/)
    await typeBlock('operating Upgrade')
    assert.match(await machine.type('card-prices-as doctor'), /^ok +port +a server answers /m)
  })

  it('The commands of docs/data.md make a folder of prices, and change it', async () => {
    const own = 'CARD_PRICES_ENV=/root/none.env NODE_EXTRA_CA_CERTS=/etc/a.pem PORT=8085'
    await machine.type(`mkdir -p /root/shop && cd /root/shop && : >/root/none.env && export ${own}`)
    await machine.type('nginx -s stop && while [ -e /run/nginx.pid ]; do sleep 0.1; done')
    await publish()
    await typeBlock('data From the sources to a running server')
    await machine.type('cp -r prices/import/mirror/tcgcsv /root/mirror && rm /root/mirror/fetch.json')
    await machine.type('mkdir -p /root/days/2026-11-19 && cp -r /root/mirror/1 /root/mirror/3 /root/days/2026-11-19/')
    await typeBlock('data Import', { ARCHIVE_DIR: '/root/days', DIR: '/root/mirror' })
    await typeBlock('data Remove a bad day')
    const columns = 'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price'
    await machine.type(
      `printf '%s\\n' '${columns}' '1,Pokemon,Base Set,Alakazam,,001/102,Holo Rare,Near Mint Holofoil,4' >pokemon.csv`,
    )
    await machine.type(`printf '%s\\n' '${columns}' "2,Magic,Antiquities,Ashnod's Altar,,,U,Near Mint,4" >magic.csv`)
    await typeBlock('data Prices by condition')
    const guide =
      '{"version":1,"createdAt":"2026-11-19T00:10:00+0100","priceGuides":[{"idProduct":1,"idCategory":1,"avg":1,"low":1,"trend":1}]}'
    await machine.type(`mkdir guides && printf '%s' '${guide}' >guides/price_guide_1.json`)
    await machine.type(
      'printf "%s\\n" id,key,price mtg-bro-070,cardmarketId,1 >ids.csv && card-prices import overlay ids.csv',
    )
    await typeBlock('data Prices in euros')
    await machine.type('mkdir /root/more && cd /root/more')
    await typeBlock('data Add a game')
    assert.match(await machine.type('card-prices games'), /^digimon +Digimon Card Game .*1/m)
  })

  it('The commands of docs/cluster.md make three servers behind HAProxy', async () => {
    await machine.type('unset CARD_PRICES_ENV PORT NODE_EXTRA_CA_CERTS; rm /etc/nginx/conf.d/card-prices.conf')
    await machine.type('systemctl stop card-prices && cd "$(npm root --global)/card-price-lookup"')
    const toNewMachine = 'rm -r /var/lib/card-prices/store /var/lib/card-prices/indexes'
    await typeBlock('cluster Three servers', {}, { 'HOST=10.0.0.1': toNewMachine })
    const healthy =
      'for _ in $(seq 600); do sleep 0.2; [ "$(curl -s -o /dev/null -w "%{http_code}" 10.0.0.9/healthz)" != 200 ] || break; done'
    assert.match(await machine.type(`${healthy}; curl -s 10.0.0.9/healthz`), /"status":"ok"/)
  })

  it('The tests of the documents’ commands type every block of commands that the documents have', () => {
    assert.deepEqual([...new Set(typedBlocks)].sort(), [...blocks.keys()].sort())
  })
})
