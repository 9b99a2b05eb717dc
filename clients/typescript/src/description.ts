/** Made by `npm run client-types` from what a server of form A answers at /openapi.json. */

export type KnownGame = "pokemon" | "pokemonjp" | "mtg" | "yugioh" | "lorcana" | "onepiece" | "swu" | "fab"
/** A game that every server has, or any other. */
export type Game = KnownGame | (string & {})

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
         * @description Finds the cards whose names have all words of `q`, in any order. A word of `q` may be the beginning of a word of the name. Case, accents and punctuation are ignored. A name equal to `q` comes first, then names with its whole words, then all others. If no name matches, some words of `q` may be numbers, codes of sets, or words of sets’ names. If that finds nothing, all of `q` may be a printed number, a code with a number, or a set. If nothing is found yet, typos are allowed. All plans include it.
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
         * Suggest names for a partly typed name
         * @description Returns the names that have all words of `q`, in the order of a search, each name once for each game. A word of `q` may be the beginning of a word of the name. Numbers, sets and typos are not understood. All plans include it.
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
         * @description By default, the newest set comes first, and the cards of a set are in the order of their collector’s numbers. At least one of `game`, `set`, `tcgplayer_id`, `scryfall_id`, `mtgjson_id`, `cardmarket_id` is required. All plans include it.
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
         * @description All plans include it.
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
         * @description The oldest day comes first, with at most one entry a date. The period ends on the newest date of the data, which is the same for all cards. Only these plans include it: Trader, Business.
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
         * @description The oldest day comes first, with at most one entry a date. The period ends on the newest date of the data, which is the same for all cards. Only these plans include it: Trader, Business. Its errors have form B.
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
         * @description `market` is the newest known price of the data’s last three days. `from` is the price on the first day of the period; if that day has no price, the newest one of the six days before it. Without such a price, the period is null. `high` and `low` are the extremes of the last 365 days. Only these plans include it: Trader, Business.
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
         * @description The largest change comes first. A card is not listed if its price did not change, if the change is unknown, or if its price was 0. Only these plans include it: Trader, Business.
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
         * @description Without `q`, the newest set comes first, and sets without a date come last. With `q`, the best match comes first. All plans include it.
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
         * @description The printing and the rarity with the most cards come first. All plans include it.
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
         * @description All plans include it.
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
         * @description The results come in the order of the ids. An id that no card has is left out. An id that is given twice is answered twice. A batch counts as one request. All plans include it.
         */
        post: operations["batchCards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/batch/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get several cards’ price histories by a period
         * @description The results come in the order of the ids. An id that no card has is left out. An id that is given twice is answered twice. A batch counts as one request. The oldest day comes first, with at most one entry a date. The period ends on the newest date of the data, which is the same for all cards. Only these plans include it: Trader, Business.
         */
        post: operations["batchCardHistories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/batch/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get several cards’ price histories by a number of days
         * @description The results come in the order of the ids. An id that no card has is left out. An id that is given twice is answered twice. A batch counts as one request. The oldest day comes first, with at most one entry a date. The period ends on the newest date of the data, which is the same for all cards. Only these plans include it: Trader, Business. Its errors have form B.
         */
        post: operations["batchCardPrices"];
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
         * @description The results have the order of the lines. A line has a name, or a set and a number, or an id. `exact`: one card agrees with the whole line. `likely`: one card agrees, but for one thing. Either the line has brackets that the card’s name lacks, or it names only one face of the card, or it has only words of the set’s name, or another total after the number’s slash, or one typo, or no printing, and the card has the usual one. `ambiguous`: several cards agree, or the only cards found have another printing than the line. `candidates` has the first five of these cards. `none`: no card agrees. A match counts as one request. All plans include it.
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
         * @description Each line is a card with all its prices and ids, in the order of sets and collector’s numbers. The body is always compressed by gzip. A slow client has as much time as it needs, if it never stops reading for a minute. A download counts as one request. Only these plans include it: Business.
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
         * Check that the service answers, and see the version of its data
         * @description The request needs no key, and does not count.
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
        /** @description A card with all its prices. An unknown price is null, never 0. Conditions and grades without a price are left out. */
        fullCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: Game;
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
        /** @description The card with the id. */
        card: {
            data: components["schemas"]["fullCard"];
        };
        /** @description A full card with its printing, its currency, its ids at other sites, and its prices at other markets. */
        extendedCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: Game;
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
        /** @description A card in a list, in any view. Fields of other views are left out. If the value of a field of this view is unknown, the field is null. */
        listedCard: {
            id: string;
            name: string;
            /** @enum {string} */
            game: Game;
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
        /** @description A page of cards, in the requested view. `total` counts all cards that match. */
        searchPage: {
            data: components["schemas"]["listedCard"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** @description A name of cards of a game, and the number of cards with this name. */
        suggestion: {
            name: string;
            /** @enum {string} */
            game: Game;
            cards: number;
        };
        /** @description The suggested names. */
        suggestions: {
            data: components["schemas"]["suggestion"][];
        };
        /** @description The cards of a batch, in the requested view. Ids that no card has are left out. In the view `extended`, `missing` lists them. */
        batch: {
            data: components["schemas"]["listedCard"][];
            missing?: string[];
        };
        /** @description The cards that each line means. */
        matches: {
            data: {
                /** @enum {string} */
                match: "exact" | "likely" | "ambiguous" | "none";
                card: components["schemas"]["listedCard"] | null;
                candidates: components["schemas"]["listedCard"][];
            }[];
        };
        /** @description A set, and the number of its cards. */
        cardSet: {
            code: string;
            name: string;
            /** @enum {string} */
            game: Game;
            cardCount: number;
            releaseDate: string | null;
        };
        /** @description A set, how many cards it has of each printing and of each rarity, and the total that is printed behind the slash of a number. */
        setDetails: {
            data: {
                code: string;
                name: string;
                /** @enum {string} */
                game: Game;
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
                id: Game;
                name: string;
                cardCount: number;
                setCount: number;
                /** @enum {string} */
                language?: "English" | "Japanese";
                words?: string[];
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
        /** @description The price histories of several cards. */
        historiesByPeriod: {
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
            }[];
        };
        /** @description The price histories of several cards. */
        historiesByDays: {
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
            }[];
        };
        /** @description The changes of a card’s price. */
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
        /** @description A card whose price changed. */
        mover: {
            id: string;
            name: string;
            /** @enum {string} */
            game: Game;
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
        /** @description A page of cards whose price changed. `total` counts all cards that fit the parameters. */
        moversPage: {
            data: components["schemas"]["mover"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** @description The version of the data, its newest date, the number of its cards, and the version of the software. */
        health: {
            /** @constant */
            status: "ok";
            version: string;
            asOf: string | null;
            cards: number;
            currency?: string;
            software: string;
        };
        /** @description An error with its code, its message for people, and the status. (Form A.) */
        errorInFormA: {
            error: {
                /** @enum {string} */
                code: "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "MISSING_API_KEY" | "INVALID_API_KEY" | "ACCOUNT_SUSPENDED" | "SERVICE_UNAVAILABLE" | "RATE_LIMIT_EXCEEDED" | "PLAN_RESTRICTION" | "UNSUPPORTED_MEDIA_TYPE" | "PAYLOAD_TOO_LARGE" | "INVALID_BODY" | "BATCH_TOO_LARGE" | "INVALID_PARAMETER" | "NOT_ACCEPTABLE" | "PRECONDITION_FAILED" | "CARD_NOT_FOUND" | "INTERNAL_ERROR";
                message: string;
                status: number;
            };
        };
        /** @description An error with its code and its message for people. (Form B.) */
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
        historiesRequest: {
            ids: string[];
            /** @enum {string} */
            period?: "7d" | "30d" | "90d" | "1y" | "all";
        };
        pricesRequest: {
            ids: string[];
            days?: number;
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
        /** @description `If-None-Match` names the current version. The response has no body. */
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
        /** @description `PRECONDITION_FAILED`: If-Match does not name the served version of the data, which this response’s ETag names. */
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
        /**
         * @description `unauthorized`: An API key is needed: send it in the header X-API-Key.
         *
         *     `unauthorized`: The API key does not exist, is expired or is revoked.
         */
        UnauthorizedInFormB: {
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
        ForbiddenInFormB: {
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
        MethodNotAllowedInFormB: {
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
        /** @description `RATE_LIMIT_EXCEEDED`: The day’s requests are used up; X-RateLimit-Reset tells when new ones come. */
        TooManyRequestsInFormB: {
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
        InternalServerErrorInFormB: {
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
        ServiceUnavailableInFormB: {
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
        /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
        ifNoneMatch: string;
        /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
        ifMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The requests a day in the account’s plan. 0 without a valid key. */
        "X-RateLimit-Limit": number;
        /** @description The requests left today after this one. 0 without a valid key. */
        "X-RateLimit-Remaining": number;
        /** @description The time of the next quota: the next midnight UTC, in Unix seconds. */
        "X-RateLimit-Reset": number;
        /** @description The version of the data. The response to the same URL changes only with the version. */
        ETag: string;
        /** @description `private`: shared caches must not store the response. `no-store`: no cache may store it, since it is an error. */
        "Cache-Control": "private" | "no-store";
        /** @description The number of rows of all pages. Only a CSV has this header. */
        "X-Total": number;
        /** @description The compression of the body. A proxy that decompresses the body removes this header. */
        "Content-Encoding": "gzip";
        /** @description The number of seconds after which to try again. */
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
                 * @description The card’s name, or words of it. Each word may be cut short.
                 * @example charizard
                 */
                q: string;
                /** @description The game of the cards or sets. */
                game?: Game;
                /** @description The code of the set, or its name, with or without a code before it (`SV03: Obsidian Flames`). Upper and lower case are the same. */
                set?: string;
                /** @description The rarity of the cards: the whole text. Upper and lower case are the same. */
                rarity?: string;
                /** @description The finish or edition of the cards, as the extended view names it, or a usual word for it: `nonfoil`, `holo`, `reverse`. */
                printing?: string;
                /** @description The collector’s number of the cards. It must match in full; upper and lower case are the same. Leading zeros, and a slash with all that follows, are ignored. */
                number?: string;
                /** @description The lowest market price. With this bound, a card without a market price is left out. In steps of 0.01. */
                min_price?: number;
                /** @description The highest market price. It must not be below `min_price`. With this bound, a card without a market price is left out. In steps of 0.01. */
                max_price?: number;
                /** @description Cards whose market, lowest or highest price changed after this date. The date of a change is the first day on which the card had its current prices. For a card without a history, it is the day of its `updatedAt`. */
                changed_since?: string;
                /** @description The order. `price` sorts the lowest price first, `-price` the highest. `change` and `-change` sort by the percentage of change in seven days. Cards with an unknown price or change come last. */
                sort?: "relevance" | "price" | "-price" | "name" | "newest" | "change" | "-change";
                /** @description The fields of each card. `full` has the fields of `/v1/cards/{id}`. `extended` adds the card’s printing, its currency, its ids at other sites, and its prices at other markets. */
                view?: "summary" | "full" | "extended";
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
                /**
                 * @description The most items in the response. A larger number counts as 100.
                 * @example 1
                 */
                limit?: number;
                /** @description The number of items to skip. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                 * @description The card’s name, or words of it. Each word may be cut short.
                 * @example char
                 */
                q: string;
                /** @description The game of the cards or sets. */
                game?: Game;
                /**
                 * @description The most items in the response. A larger number counts as 20.
                 * @example 3
                 */
                limit?: number;
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                 * @description The game of the cards or sets.
                 * @example pokemon
                 */
                game?: Game;
                /**
                 * @description The code of the set, or its name, with or without a code before it (`SV03: Obsidian Flames`). Upper and lower case are the same.
                 * @example base1
                 */
                set?: string;
                /** @description The id of a TCGplayer product. All printings of the product are listed. */
                tcgplayer_id?: number;
                /** @description The id of a card at Scryfall. The card is listed in all its finishes. */
                scryfall_id?: string;
                /** @description The id of a card at MTGJSON. The card is listed in all its finishes. */
                mtgjson_id?: string;
                /** @description The id of a Cardmarket product. All printings of the product are listed. */
                cardmarket_id?: number;
                /** @description The rarity of the cards: the whole text. Upper and lower case are the same. */
                rarity?: string;
                /** @description The finish or edition of the cards, as the extended view names it, or a usual word for it: `nonfoil`, `holo`, `reverse`. */
                printing?: string;
                /**
                 * @description The collector’s number of the cards. It must match in full; upper and lower case are the same. Leading zeros, and a slash with all that follows, are ignored.
                 * @example 4
                 */
                number?: string;
                /** @description The lowest market price. With this bound, a card without a market price is left out. In steps of 0.01. */
                min_price?: number;
                /** @description The highest market price. It must not be below `min_price`. With this bound, a card without a market price is left out. In steps of 0.01. */
                max_price?: number;
                /** @description Cards whose market, lowest or highest price changed after this date. The date of a change is the first day on which the card had its current prices. For a card without a history, it is the day of its `updatedAt`. */
                changed_since?: string;
                /** @description The order. `price` sorts the lowest price first, `-price` the highest. `change` and `-change` sort by the percentage of change in seven days. Cards with an unknown price or change come last. */
                sort?: "price" | "-price" | "name" | "newest" | "change" | "-change";
                /**
                 * @description The fields of each card. `full` has the fields of `/v1/cards/{id}`. `extended` adds the card’s printing, its currency, its ids at other sites, and its prices at other markets.
                 * @example full
                 */
                view?: "summary" | "full" | "extended";
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
                /** @description The most items in the response. A larger number counts as 100. */
                limit?: number;
                /** @description The number of items to skip. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                /** @description The fields of the card. `extended` adds its printing, its currency, its ids at other sites, and its prices at other markets. */
                view?: "full" | "extended";
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list returns it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                 * @description The length of the history.
                 * @example 7d
                 */
                period?: "7d" | "30d" | "90d" | "1y" | "all";
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list returns it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                 * @description The number of days. The last one is the newest day of the data.
                 * @example 2
                 */
                days?: number;
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list returns it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
            401: components["responses"]["UnauthorizedInFormB"];
            403: components["responses"]["ForbiddenInFormB"];
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
            405: components["responses"]["MethodNotAllowedInFormB"];
            /** @description `PRECONDITION_FAILED`: If-Match does not name the served version of the data, which this response’s ETag names. */
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
            429: components["responses"]["TooManyRequestsInFormB"];
            500: components["responses"]["InternalServerErrorInFormB"];
            503: components["responses"]["ServiceUnavailableInFormB"];
        };
    };
    getCardChanges: {
        parameters: {
            query?: never;
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The card’s id, as a search or a list returns it.
                 * @example pokemon-base1-004
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                 * @description The game of the cards or sets.
                 * @example pokemon
                 */
                game?: Game;
                /** @description The code of the set, or its name, with or without a code before it (`SV03: Obsidian Flames`). Upper and lower case are the same. */
                set?: string;
                /** @description The time between the two prices that are compared. */
                period?: "1d" | "7d" | "30d" | "90d" | "1y";
                /** @description The direction of the change. */
                direction?: "up" | "down";
                /** @description The measure of the change. The largest comes first. */
                by?: "percent" | "amount";
                /** @description Only cards that cost at least this much, both before and after the change. It leaves out cards worth pennies, whose prices often double. In steps of 0.01. */
                min_price?: number;
                /** @description The format of the body. `csv` is for spreadsheets: a header row, then a row for each card or day. It ignores `view`. Errors stay JSON. */
                format?: "json" | "csv";
                /** @description `1` begins a CSV with a byte order mark, so that Excel reads the file as UTF-8. JSON never has one. */
                bom?: "0" | "1";
                /**
                 * @description The most items in the response. A larger number counts as 100.
                 * @example 1
                 */
                limit?: number;
                /** @description The number of items to skip. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                /** @description The set’s code, or words of its name. Each word may be cut short. */
                q?: string;
                /**
                 * @description The game of the cards or sets.
                 * @example pokemon
                 */
                game?: Game;
                /**
                 * @description The most items in the response. A larger number counts as 200.
                 * @example 2
                 */
                limit?: number;
                /** @description The number of items to skip. Past the end, `data` is empty. */
                offset?: number;
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The game’s id, as `/v1/games` returns it.
                 * @example pokemon
                 */
                game: string;
                /**
                 * @description The set’s code. Upper and lower case are equal.
                 * @example base1
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
            /** @description `NOT_FOUND`: There is no such game, or the game has no such set. */
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
            query?: {
                /** @description The fields of a game. `extended` adds the language of its cards and the words by which lists name it. */
                view?: "summary" | "extended";
            };
            header?: {
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
            /** @description The requested data. */
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
    batchCardHistories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["historiesRequest"];
            };
        };
        responses: {
            /** @description The requested data. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["historiesByPeriod"];
                };
            };
            /**
             * @description `INVALID_BODY`: The body must be a JSON object with ids, an array of strings.
             *
             *     `INVALID_PARAMETER`: A parameter has a bad value.
             *
             *     `INVALID_BODY`: The body’s period must be one of 7d, 30d, 90d, 1y, all, or absent. This body takes no days.
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
            413: components["responses"]["PayloadTooLargeInFormA"];
            415: components["responses"]["UnsupportedMediaTypeInFormA"];
            429: components["responses"]["TooManyRequestsInFormA"];
            500: components["responses"]["InternalServerErrorInFormA"];
            503: components["responses"]["ServiceUnavailableInFormA"];
        };
    };
    batchCardPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["pricesRequest"];
            };
        };
        responses: {
            /** @description The requested data. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["historiesByDays"];
                };
            };
            /**
             * @description `INVALID_BODY`: The body must be a JSON object with ids, an array of strings.
             *
             *     `INVALID_PARAMETER`: A parameter has a bad value.
             *
             *     `INVALID_BODY`: The body’s days must be a whole number from 1 to 90, or absent. This body takes no period.
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
                    "application/json": components["schemas"]["errorInFormB"];
                };
            };
            401: components["responses"]["UnauthorizedInFormB"];
            403: components["responses"]["ForbiddenInFormB"];
            405: components["responses"]["MethodNotAllowedInFormB"];
            /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 16 KiB. */
            413: {
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
            /** @description `UNSUPPORTED_MEDIA_TYPE`: The body must be sent as Content-Type: application/json. */
            415: {
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
            429: components["responses"]["TooManyRequestsInFormB"];
            500: components["responses"]["InternalServerErrorInFormB"];
            503: components["responses"]["ServiceUnavailableInFormB"];
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
            /** @description The requested data. */
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
             * @description `INVALID_BODY`: The body must be a JSON object with cards, an array of objects. Each has a name, or a set and a number, or an id.
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
                /** @description One or several values of `ETag` from earlier responses. If one of them is the current version, the response is 304. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
                /** @description One or several values of `ETag` from earlier responses. If none of them is the current version, the response is 412. */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description The game’s id, as `/v1/games` returns it.
                 * @example swu
                 */
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requested data. */
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
            /** @description `NOT_FOUND`: There is no such game. */
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
            /** @description `NOT_ACCEPTABLE`: This download is always compressed. Send Accept-Encoding: gzip, or leave the header out. */
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
            /** @description The requested data. */
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
