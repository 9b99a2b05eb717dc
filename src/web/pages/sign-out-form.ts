/** The form that ends a session. */
import { html } from 'hono/html'
import type { FoundSession } from '../../accounts/sign-ins.ts'
import { tokenField } from '../forms.ts'

export const signOutForm = ({ id, account }: FoundSession) => html`
<form class="sign-out" method="post" action="/sign-out">
${tokenField(id)}
<span class="account">${account.name}</span>
<button type="submit">Sign out</button>
</form>`
