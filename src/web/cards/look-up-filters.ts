/**
 * The filters and the order of a look-up, as fields of its form. In a wide window they are always open. On a phone they
 * are folded, unless a filter is set or the name is empty.
 */
import { html } from 'hono/html'
import { printingCharsMax, queryCharsMax } from '../../limits.ts'
import { suggestionsPath } from '../shared/search-form.ts'
import type { Html, PageContext, Site } from '../site.ts'
import { filtersIn, type LookUpQuery, sortLabels, type WrongField } from './look-up-query.ts'
import type { Options } from './version-data.ts'

/** @param options undefined until there is a version */
export function filterFields(
  site: Site,
  context: PageContext,
  query: LookUpQuery,
  { options, wrong }: { readonly options: Options | undefined; readonly wrong: WrongField | undefined },
): Html {
  const set = filtersIn(query).length
  const isOpen = set > 0 || query.q === ''
  const names = (known: Options['rarities'] = [], chosen: string) =>
    [
      ...known.map(({ name }) => name),
      ...(known.some(({ name }) => name === chosen) || chosen === '' ? [] : [chosen]),
    ].map((name) => [name, name] as const)
  return html`<details class="filters"${isOpen && html` open`}>
<summary>Filters${set > 0 && ` (${set})`}</summary>
<div class="fields">
${choice('Game', 'game', query.game, [['', 'All games'], ...site.data.listedGames.map(({ id, name }) => [id, name] as const)])}
<div class="field">
<label for="set">Set</label>
<div class="combo"><input id="set" name="set" maxlength="${queryCharsMax}" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Name or code" value="${query.set}" data-suggestions="${suggestionsPath(context)}" data-of="sets"></div>
</div>
${choice('Printing', 'printing', query.printing.slice(0, printingCharsMax), [['', 'Any printing'], ...names(options?.printings, query.printing)])}
${choice('Rarity', 'rarity', query.rarity, [['', 'Any rarity'], ...names(options?.rarities, query.rarity)])}
${price('Price from', 'min_price', query.min_price, wrong)}
${price('Price to', 'max_price', query.max_price, wrong)}
${choice('Sort', 'sort', query.sort, Object.entries(sortLabels))}
<button type="submit">Apply<span class="unseen"> filters</span></button>
</div>
</details>`
}

const choice = (label: string, name: string, chosen: string, options: readonly (readonly [string, string])[]): Html =>
  html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">
${options.map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>\n`)}
</select>
</div>`

const price = (label: string, name: 'min_price' | 'max_price', value: string, wrong: WrongField | undefined): Html =>
  html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" inputmode="decimal" autocomplete="off" value="${value}"${wrong?.field === name && html` aria-invalid="true" aria-describedby="card-name-wrong"`}>
</div>`
