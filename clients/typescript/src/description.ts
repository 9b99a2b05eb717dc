/** Made by `npm run client-types` from what a server of form A answers at /openapi.json. */
export interface paths {
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search cards by name
         * @description Finds names of which every word of `q` begins a word, in any order; case, accents and punctuation do not matter. The name itself comes first, then whole words, then beginnings. Where no name matches: words of names with numbers and sets, then a printed number, a code with a number, or a set alone, and last of all typos. In all plans.
         */
        get: operations["searchCards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest names while one is typed
         * @description Each name of a game once, in the order in which a search would first show a card of it, but without typos. In all plans.
         */
        get: operations["suggestNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cards of a game, a set or a product
         * @description By themselves in the order of the newest set, then of the collector’s numbers. One of `game`, `set`, `tcgplayer_id`, `scryfall_id`, `mtgjson_id`, `cardmarket_id` must be given. In all plans.
         */
        get: operations["listCards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a card with all its prices
         * @description In all plans.
         */
        get: operations["getCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a card’s price history by a period
         * @description Oldest day first, at most one entry a date. The window ends on the newest date of the data, the same for all cards. In these plans alone: Trader, Business.
         */
        get: operations["getCardHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{id}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a card’s price history by a number of days
         * @description Oldest day first, at most one entry a date. The window ends on the newest date of the data, the same for all cards. In these plans alone: Trader, Business. Its errors are those of form B.
         */
        get: operations["getCardPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how a card’s price has changed
         * @description `market` is the newest known price of the data’s last three days, `from` that of the seven days up to so long before. A period without a price is null. `high` and `low` are those of the last 365 days. In these plans alone: Trader, Business.
         */
        get: operations["getCardChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/movers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cards that moved most
         * @description The largest change first, up or down. A card that did not move, whose change is unknown, or whose price was 0, is not listed. In these plans alone: Trader, Business.
         */
        get: operations["listMovers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sets
         * @description The newest first, those without a date last. In all plans.
         */
        get: operations["listSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sets/{game}/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a set with its printings and rarities
         * @description Those of the most cards first. In all plans.
         */
        get: operations["getSet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/games": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all games
         * @description In all plans.
         */
        get: operations["listGames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get several cards by their ids
         * @description In the order asked. An id that no card has is left out; one that is given twice is answered twice. It counts as one request. In all plans.
         */
        post: operations["batchCards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the cards that the lines of a stock list mean
         * @description In the order of the lines. A line has a name or an id. `exact`: all that it says is so of one card. `likely`: of one card alone, if one difference is allowed (brackets that the name lacks, a face of the card, words of a set, another total behind a number’s slash, one typo), or if a line without a printing means the usual one. `ambiguous`: of several, of which the first five are candidates. It counts as one request. In all plans.
         */
        post: operations["matchCards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{game}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download all cards of a game
         * @description A card a line, with all its prices and its TCGplayer product, by set and collector’s number. It is always packed by gzip, may be read as slowly as need be, and counts as one request. In these plans alone: Business.
         */
        get: operations["downloadCards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether the service answers, and from which data
         * @description It needs no key and counts nothing.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A card with all its prices. An unknown price is null, never 0; conditions and grades without a price are left out. */
        fullCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            set: string;
            setCode: string;
            number: string | null;
            rarity: string | null;
            image: string | null;
            prices: {
                market: number | null;
                low: number | null;
                mid: number | null;
                high: number | null;
                conditions: {
                    near_mint?: number;
                    lightly_played?: number;
                    moderately_played?: number;
                    heavily_played?: number;
                    damaged?: number;
                };
                graded: {
                    [key: string]: number;
                };
            };
            sources: string[];
            updatedAt: string | null;
            printing?: string | null;
            currency?: string | null;
            tcgplayerId?: number | null;
            scryfallId?: string | null;
            mtgjsonId?: string | null;
            cardmarketId?: number | null;
            markets?: {
                market: string;
                currency: string;
                price: number | null;
                low: number | null;
                buylist: number | null;
                updatedAt: string | null;
            }[];
        };
        /** @description A card by its id. */
        card: {
            data: components["schemas"]["fullCard"];
        };
        /** @description A card in full, its printing, its currency, its ids elsewhere, and its prices at other markets. */
        extendedCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            set: string;
            setCode: string;
            number: string | null;
            rarity: string | null;
            image: string | null;
            prices: {
                market: number | null;
                low: number | null;
                mid: number | null;
                high: number | null;
                conditions: {
                    near_mint?: number;
                    lightly_played?: number;
                    moderately_played?: number;
                    heavily_played?: number;
                    damaged?: number;
                };
                graded: {
                    [key: string]: number;
                };
            };
            sources: string[];
            updatedAt: string | null;
            printing: string | null;
            currency: string | null;
            tcgplayerId: number | null;
            scryfallId: string | null;
            mtgjsonId: string | null;
            cardmarketId: number | null;
            markets: {
                market: string;
                currency: string;
                price: number | null;
                low: number | null;
                buylist: number | null;
                updatedAt: string | null;
            }[];
        };
        /** @description A card in a list, in any view. Fields that the view does not have are left out; of those that it has, an unknown one is null. */
        listedCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            prices: {
                market: number | null;
                low?: number | null;
                mid?: number | null;
                high?: number | null;
                conditions?: {
                    near_mint?: number;
                    lightly_played?: number;
                    moderately_played?: number;
                    heavily_played?: number;
                    damaged?: number;
                };
                graded?: {
                    [key: string]: number;
                };
            };
            set?: string;
            setCode?: string;
            number?: string | null;
            rarity?: string | null;
            image?: string | null;
            sources?: string[];
            updatedAt?: string | null;
            printing?: string | null;
            currency?: string | null;
            tcgplayerId?: number | null;
            scryfallId?: string | null;
            mtgjsonId?: string | null;
            cardmarketId?: number | null;
            markets?: {
                market: string;
                currency: string;
                price: number | null;
                low: number | null;
                buylist: number | null;
                updatedAt: string | null;
            }[];
        };
        /** @description A page of cards, in the view that was asked for. `total` counts all that match. */
        searchPage: {
            data: components["schemas"]["listedCard"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** @description A name of a game, and how many cards have it. */
        suggestion: {
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            cards: number;
        };
        /** @description Names. */
        suggestions: {
            data: components["schemas"]["suggestion"][];
        };
        /** @description The cards of a batch in the view that was asked for, fewer than the ids where an id is no card’s; `missing` has those ids in the view `extended`. */
        batch: {
            data: components["schemas"]["listedCard"][];
            missing?: string[];
        };
        /** @description What each line means. */
        matches: {
            data: {
                /** @enum {string} */
                match: "exact" | "likely" | "ambiguous" | "none";
                card: components["schemas"]["listedCard"] | null;
                candidates: components["schemas"]["listedCard"][];
            }[];
        };
        /** @description A set. */
        cardSet: {
            code: string;
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            cardCount: number;
            releaseDate: string | null;
        };
        /** @description A set, its cards counted by printing and by rarity, and the number behind the slash of their numbers. */
        setDetails: {
            data: {
                code: string;
                name: string;
                /** @enum {string} */
                game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                cardCount: number;
                releaseDate: string | null;
                printings: {
                    name: string;
                    cards: number;
                }[];
                rarities: {
                    name: string;
                    cards: number;
                }[];
                printedTotal: number | null;
            };
        };
        /** @description A page of sets. */
        setsPage: {
            data: components["schemas"]["cardSet"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** @description All games. */
        games: {
            data: {
                /** @enum {string} */
                id: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                name: string;
                cardCount: number;
                setCount: number;
            }[];
        };
        /** @description A card’s price history. */
        historyByPeriod: {
            data: {
                cardId: string;
                /** @enum {string} */
                period: "7d" | "30d" | "90d" | "1y" | "all";
                history: {
                    /** Format: date */
                    date: string;
                    market: number | null;
                    low: number | null;
                    high: number | null;
                }[];
            };
        };
        /** @description A card’s price history. */
        historyByDays: {
            data: {
                cardId: string;
                days: number;
                history: {
                    /** Format: date */
                    date: string;
                    market: number | null;
                    low: number | null;
                    high: number | null;
                }[];
            };
        };
        /** @description How a card’s price has changed. */
        changes: {
            data: {
                cardId: string;
                asOf: string | null;
                market: number | null;
                changes: {
                    "1d": {
                        from: number;
                        amount: number | null;
                        percent: number | null;
                    } | null;
                    "7d": {
                        from: number;
                        amount: number | null;
                        percent: number | null;
                    } | null;
                    "30d": {
                        from: number;
                        amount: number | null;
                        percent: number | null;
                    } | null;
                    "90d": {
                        from: number;
                        amount: number | null;
                        percent: number | null;
                    } | null;
                    "1y": {
                        from: number;
                        amount: number | null;
                        percent: number | null;
                    } | null;
                };
                high: {
                    /** Format: date */
                    date: string;
                    market: number;
                } | null;
                low: {
                    /** Format: date */
                    date: string;
                    market: number;
                } | null;
            };
        };
        /** @description A card that moved. */
        mover: {
            id: string;
            name: string;
            /** @enum {string} */
            game: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
            set: string;
            rarity: string | null;
            prices: {
                market: number | null;
                conditions: {
                    near_mint?: number;
                    lightly_played?: number;
                };
            };
            change: {
                /** @enum {string} */
                period: "1d" | "7d" | "30d" | "90d" | "1y";
                from: number;
                to: number;
                amount: number;
                percent: number;
            };
        };
        /** @description A page of cards that moved. `total` counts all that moved that way. */
        moversPage: {
            data: components["schemas"]["mover"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** @description The version of the data, its newest date, how many cards it has, and the version of the software. */
        health: {
            /** @constant */
            status: "ok";
            version: string;
            asOf: string | null;
            cards: number;
            currency?: string;
            software: string;
        };
        /** @description An error. */
        errorInFormA: {
            error: {
                /** @enum {string} */
                code: "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "MISSING_API_KEY" | "INVALID_API_KEY" | "ACCOUNT_SUSPENDED" | "SERVICE_UNAVAILABLE" | "RATE_LIMIT_EXCEEDED" | "PLAN_RESTRICTION" | "UNSUPPORTED_MEDIA_TYPE" | "PAYLOAD_TOO_LARGE" | "INVALID_BODY" | "BATCH_TOO_LARGE" | "INVALID_PARAMETER" | "NOT_ACCEPTABLE" | "PRECONDITION_FAILED" | "CARD_NOT_FOUND" | "INTERNAL_ERROR";
                message: string;
                status: number;
            };
        };
        /** @description An error. */
        errorInFormB: {
            error: {
                /** @enum {string} */
                code: "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "unauthorized" | "ACCOUNT_SUSPENDED" | "SERVICE_UNAVAILABLE" | "RATE_LIMIT_EXCEEDED" | "PLAN_RESTRICTION" | "UNSUPPORTED_MEDIA_TYPE" | "PAYLOAD_TOO_LARGE" | "INVALID_BODY" | "BATCH_TOO_LARGE" | "INVALID_PARAMETER" | "NOT_ACCEPTABLE" | "PRECONDITION_FAILED" | "CARD_NOT_FOUND" | "INTERNAL_ERROR";
                message: string;
            };
        };
        batchRequest: {
            ids: string[];
            /** @enum {string} */
            view?: "summary" | "full" | "extended";
        };
        matchRequest: {
            cards: {
                name?: string | null;
                number?: string | null;
                set?: string | null;
                game?: string | null;
                printing?: string | null;
                rarity?: string | null;
                id?: string | null;
                tcgplayerId?: (number | string) | null;
                scryfallId?: string | null;
                mtgjsonId?: string | null;
                cardmarketId?: (number | string) | null;
            }[];
        };
    };
    responses: {
        /** @description What was asked for is what `If-None-Match` names. No body. */
        NotModified: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
        BadRequestInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /**
         * @description `MISSING_API_KEY`: An API key is needed: send it in the header X-API-Key.
         *
         *     `INVALID_API_KEY`: The API key does not exist, is expired or is revoked.
         */
        UnauthorizedInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why. */
        ForbiddenInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `METHOD_NOT_ALLOWED`: The endpoint does not have this method; Allow names those that it has. */
        MethodNotAllowedInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `PRECONDITION_FAILED`: If-Match does not name the served version of the data; ETag does. */
        PreconditionFailedInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `RATE_LIMIT_EXCEEDED`: The day’s requests are used up; X-RateLimit-Reset tells when new ones come. */
        TooManyRequestsInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `INTERNAL_ERROR`: The service failed to answer; the fault is ours. */
        InternalServerErrorInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The service can’t answer right now; try again shortly. */
        ServiceUnavailableInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `CARD_NOT_FOUND`: No card has this id. */
        NotFoundInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 16 KiB. */
        PayloadTooLargeInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body must be sent as Content-Type: application/json. */
        UnsupportedMediaTypeInFormA: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["errorInFormA"];
            };
        };
    };
    parameters: {
        /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
        ifNoneMatch: string;
        /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
        ifMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The requests a day of the account’s plan; 0 without a valid key. */
        "X-RateLimit-Limit": number;
        /** @description What is left of them after this request; 0 without a valid key. */
        "X-RateLimit-Remaining": number;
        /** @description When new ones come: the next midnight UTC, in Unix seconds. */
        "X-RateLimit-Reset": number;
        /** @description The version of the data. The answer to one address changes only with it. */
        ETag: string;
        /** @description `private`: shared caches must not store it. `no-store`, of errors: nobody may. */
        "Cache-Control": "private" | "no-store";
        /** @description Of CSV alone: the rows of all pages. */
        "X-Total": number;
        /** @description How the body is packed. A proxy that unpacks it takes the header away. */
        "Content-Encoding": "gzip";
        /** @description After so many seconds it is worth another try. */
        "Retry-After": number;
        /** @description The methods that the path has. */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    searchCards: {
        parameters: {
            query: {
                /**
                 * @description The name, or words or beginnings of words of it.
                 * @example charizard
                 */
                q: string;
                /** @description Only of this game. */
                game?: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                /** @description Only of this set: its code in any case or, where no set has that code, its name, with or without its publisher’s prefix. */
                set?: string;
                /** @description Only of this rarity, whole and in any case. */
                rarity?: string;
                /** @description Only of this finish or edition, as the extended view names it, or by a usual word for it: `nonfoil`, `holo`, `reverse`. */
                printing?: string;
                /** @description Only with this collector’s number: whole, in any case, without leading zeros or a slash and what follows it. */
                number?: string;
                /** @description Only of this market price or above. A card without one is within no bounds. In steps of 0.01. */
                min_price?: number;
                /** @description Only of this market price or below, and not below `min_price`. In steps of 0.01. */
                max_price?: number;
                /** @description Only if the market, the lowest or the highest price changed after this date. A card changed on the first day that had its newest prices. A card without a history counts by its `updatedAt`. */
                changed_since?: string;
                /** @description The order: `price` has the lowest first, `-price` the highest, `change` and `-change` go by the percentage of seven days, unknown ones come last. */
                sort?: "relevance" | "price" | "-price" | "name" | "newest" | "change" | "-change";
                /** @description What each card has: `full` all that a card’s own address has, `extended` its printing, currency, ids elsewhere and prices at other markets, too. */
                view?: "summary" | "full" | "extended";
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
                /**
                 * @description So many at most. A greater number is lowered to 100.
                 * @example 1
                 */
                limit?: number;
                /** @description So many are skipped. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["searchPage"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequestInFormA"];
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    suggestNames: {
        parameters: {
            query: {
                /**
                 * @description The name, or words or beginnings of words of it.
                 * @example char
                 */
                q: string;
                /** @description Only of this game. */
                game?: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                /**
                 * @description So many at most. A greater number is lowered to 20.
                 * @example 3
                 */
                limit?: number;
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["suggestions"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    listCards: {
        parameters: {
            query?: {
                /**
                 * @description Only of this game.
                 * @example pokemon
                 */
                game?: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                /**
                 * @description Only of this set: its code in any case or, where no set has that code, its name, with or without its publisher’s prefix.
                 * @example base1
                 */
                set?: string;
                /** @description Only printings of the TCGplayer product with this id. */
                tcgplayer_id?: number;
                /** @description Only cards with this id at Scryfall, in all their finishes. */
                scryfall_id?: string;
                /** @description Only cards with this id at MTGJSON, in all their finishes. */
                mtgjson_id?: string;
                /** @description Only printings of the Cardmarket product with this id. */
                cardmarket_id?: number;
                /** @description Only of this rarity, whole and in any case. */
                rarity?: string;
                /** @description Only of this finish or edition, as the extended view names it, or by a usual word for it: `nonfoil`, `holo`, `reverse`. */
                printing?: string;
                /**
                 * @description Only with this collector’s number: whole, in any case, without leading zeros or a slash and what follows it.
                 * @example 4
                 */
                number?: string;
                /** @description Only of this market price or above. A card without one is within no bounds. In steps of 0.01. */
                min_price?: number;
                /** @description Only of this market price or below, and not below `min_price`. In steps of 0.01. */
                max_price?: number;
                /** @description Only if the market, the lowest or the highest price changed after this date. A card changed on the first day that had its newest prices. A card without a history counts by its `updatedAt`. */
                changed_since?: string;
                /** @description The order: `price` has the lowest first, `-price` the highest, `change` and `-change` go by the percentage of seven days, unknown ones come last. */
                sort?: "price" | "-price" | "name" | "newest" | "change" | "-change";
                /**
                 * @description What each card has: `full` all that a card’s own address has, `extended` its printing, currency, ids elsewhere and prices at other markets, too.
                 * @example full
                 */
                view?: "summary" | "full" | "extended";
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
                /** @description So many at most. A greater number is lowered to 100. */
                limit?: number;
                /** @description So many are skipped. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["searchPage"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequestInFormA"];
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    getCard: {
        parameters: {
            query?: {
                /** @description How much the card has: `extended` adds its printing, currency, ids elsewhere and prices at other markets. */
                view?: "full" | "extended";
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list tells it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["card"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            404: components["responses"]["NotFoundInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    getCardHistory: {
        parameters: {
            query?: {
                /**
                 * @description How far the history goes back.
                 * @example 7d
                 */
                period?: "7d" | "30d" | "90d" | "1y" | "all";
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list tells it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["historyByPeriod"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            /**
             * @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why.
             *
             *     `PLAN_RESTRICTION`: The account’s plan does not include this endpoint; the Trader plan and above do.
             */
            403: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            404: components["responses"]["NotFoundInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    getCardPrices: {
        parameters: {
            query?: {
                /**
                 * @description So many days, up to and with the newest of the data.
                 * @example 2
                 */
                days?: number;
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list tells it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["historyByDays"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /**
             * @description `unauthorized`: An API key is needed: send it in the header X-API-Key.
             *
             *     `unauthorized`: The API key does not exist, is expired or is revoked.
             */
            401: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /**
             * @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why.
             *
             *     `PLAN_RESTRICTION`: The account’s plan does not include this endpoint; the Trader plan and above do.
             */
            403: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `CARD_NOT_FOUND`: No card has this id. */
            404: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `METHOD_NOT_ALLOWED`: The endpoint does not have this method; Allow names those that it has. */
            405: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `PRECONDITION_FAILED`: If-Match does not name the served version of the data; ETag does. */
            412: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `RATE_LIMIT_EXCEEDED`: The day’s requests are used up; X-RateLimit-Reset tells when new ones come. */
            429: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `INTERNAL_ERROR`: The service failed to answer; the fault is ours. */
            500: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            /** @description `SERVICE_UNAVAILABLE`: The service can’t answer right now; try again shortly. */
            503: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
        };
    };
    getCardChanges: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list tells it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["changes"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            /**
             * @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why.
             *
             *     `PLAN_RESTRICTION`: The account’s plan does not include this endpoint; the Trader plan and above do.
             */
            403: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            404: components["responses"]["NotFoundInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    listMovers: {
        parameters: {
            query?: {
                /**
                 * @description Only of this game.
                 * @example pokemon
                 */
                game?: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                /** @description Only of this set: its code in any case or, where no set has that code, its name, with or without its publisher’s prefix. */
                set?: string;
                /** @description Over how long a time. */
                period?: "1d" | "7d" | "30d" | "90d" | "1y";
                /** @description Which way they moved. */
                direction?: "up" | "down";
                /** @description What the largest of comes first. */
                by?: "percent" | "amount";
                /** @description Only of this price or above, before and after: pennies double every day. In steps of 0.01. */
                min_price?: number;
                /** @description What the body is: `csv` is for spreadsheets, a header row, then a row a card or day. `view` is passed over. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description With `format=csv`, `1` puts a byte order mark first, by which Excel opens a file as UTF-8. JSON has none. */
                bom?: "0" | "1";
                /**
                 * @description So many at most. A greater number is lowered to 100.
                 * @example 1
                 */
                limit?: number;
                /** @description So many are skipped. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Total": components["headers"]["X-Total"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["moversPage"];
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequestInFormA"];
            401: components["responses"]["UnauthorizedInFormA"];
            /**
             * @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why.
             *
             *     `PLAN_RESTRICTION`: The account’s plan does not include this endpoint; the Trader plan and above do.
             */
            403: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    listSets: {
        parameters: {
            query?: {
                /** @description A set’s code, or words or beginnings of words of its name. */
                q?: string;
                /**
                 * @description Only of this game.
                 * @example pokemon
                 */
                game?: "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab";
                /**
                 * @description So many at most. A greater number is lowered to 200.
                 * @example 2
                 */
                limit?: number;
                /** @description So many are skipped. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["setsPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequestInFormA"];
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    getSet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The game, as `/v1/games` tells its id.
                 * @example pokemon
                 */
                game: string;
                /**
                 * @description The set’s code, in any case.
                 * @example base1
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["setDetails"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            /** @description `NOT_FOUND`: There is no such endpoint. */
            404: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    listGames: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["games"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    batchCards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["batchRequest"];
            };
        };
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["batch"];
                };
            };
            /**
             * @description `INVALID_BODY`: The body must be a JSON object with ids, an array of strings.
             *
             *     `INVALID_PARAMETER`: A parameter has a bad value.
             *
             *     `INVALID_BODY`: The body’s view must be one of summary, full, extended, or absent.
             *
             *     `BATCH_TOO_LARGE`: A batch has at most 20 ids.
             */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            413: components["responses"]["PayloadTooLargeInFormA"];
            415: components["responses"]["UnsupportedMediaTypeInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    matchCards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["matchRequest"];
            };
        };
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["matches"];
                };
            };
            /**
             * @description `INVALID_BODY`: The body must be a JSON object with cards, an array of objects with a name or an id.
             *
             *     `INVALID_PARAMETER`: A parameter has a bad value.
             *
             *     `BATCH_TOO_LARGE`: A match has at most 20 lines.
             */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            403: components["responses"]["ForbiddenInFormA"];
            405: components["responses"]["MethodNotAllowedInFormA"];
            413: components["responses"]["PayloadTooLargeInFormA"];
            415: components["responses"]["UnsupportedMediaTypeInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    downloadCards: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an answer that is there already, or several: if one is still right, the answer is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description The `ETag` of the pages before, or several: if none is still right, the answer is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The game, as `/v1/games` tells its id.
                 * @example swu
                 */
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description `INVALID_PARAMETER`: A parameter has a bad value. */
            400: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            401: components["responses"]["UnauthorizedInFormA"];
            /**
             * @description `ACCOUNT_SUSPENDED`: The account is suspended; its dashboard, or the operator, says why.
             *
             *     `PLAN_RESTRICTION`: The account’s plan does not include this endpoint; the Business plan does.
             */
            403: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            /** @description `NOT_FOUND`: There is no such endpoint. */
            404: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            405: components["responses"]["MethodNotAllowedInFormA"];
            /** @description `NOT_ACCEPTABLE`: The answer is sent with gzip alone, which Accept-Encoding rules out. */
            406: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            412: components["responses"]["PreconditionFailedInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was asked for. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["health"];
                };
            };
            /** @description `METHOD_NOT_ALLOWED`: The endpoint does not have this method; Allow names those that it has. */
            405: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            /** @description `INTERNAL_ERROR`: The service failed to answer; the fault is ours. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
            /** @description `SERVICE_UNAVAILABLE`: The service can’t answer right now; try again shortly. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["errorInFormA"];
                };
            };
        };
    };
}
