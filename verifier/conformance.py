#!/usr/bin/env python3
"""A verifier of proofs of verifiable rolls, edition 2, written from proof-format.md alone.

It needs nothing but Python. Numbers in comments such as (13) are those of the checks in proof-format.md.

    verify.py [--receipt HASH]... [--commitment HASH] [--client-seed TEXT] [--head SIZE:ROOT]... [--save FILE] FILE...
    verify.py --batch FILE      lines of { name, files, kept }, one verdict for each

FILEs are proofs, and what a player kept. The exit code is 0 for a sound story, 1 for one that is not, and 2 if it
cannot be read.
"""
import argparse
import bisect
import functools
import gzip
import hashlib
import hmac
import itertools
import json
import math
import re
import sys
import unicodedata
from datetime import date
from decimal import Decimal
from fractions import Fraction

SAFE = 2 ** 53 - 1
ZEROS = "0" * 64
HEX64 = re.compile(r"[0-9a-f]{64}\Z")
HEX128 = re.compile(r"[0-9a-f]{128}\Z")
INF = float("inf")
HOUR = 3_600_000  # in milliseconds
ROLL = HOUR * 10 ** 6  # units of an idle roll
MIB = 2 ** 20


class Wrong(Exception):
    """Something is wrong: with a file, which is then unreadable, or with a call, which has then failed."""


def need(ok, what):
    if not ok:
        raise Wrong(what)


# ---------------------------------------------------------------- JSON and canonical text

def _pairs(pairs):
    d = {}
    for k, v in pairs:
        if k in d:
            raise ValueError("the member %r appears twice" % k)
        d[k] = v
    return d


def _number(text):
    x = float(text)
    if math.isinf(x):
        raise ValueError("a number is too large: %s" % text[:40])
    return x


def _constant(text):
    raise ValueError("not JSON: %s" % text)


def parse(text):
    """Strict JSON; all numbers become doubles (float)."""
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_int=_number, parse_float=_number,
                          parse_constant=_constant)
    except RecursionError:
        raise ValueError("nested too deeply")


def digits_exponent(x):
    """Shortest round trip digits of x > 0, and n such that x = 0.digits * 10^n."""
    _, ds, e = Decimal(repr(x)).as_tuple()
    s = "".join(map(str, ds))
    return s.rstrip("0"), len(s) + e


def js_number(x):
    if x == 0:
        return "0"
    if x < 0:
        return "-" + js_number(-x)
    s, n = digits_exponent(x)
    k = len(s)
    if k <= n <= 21:
        return s + "0" * (n - k)
    if 0 < n <= 21:
        return s[:n] + "." + s[n:]
    if -6 < n <= 0:
        return "0." + "0" * (-n) + s
    e = n - 1
    return s[0] + ("." + s[1:] if k > 1 else "") + "e" + ("+" if e >= 0 else "-") + str(abs(e))


def decimals(x):
    """The number of decimals of x as JavaScript prints it."""
    if x == 0:
        return 0
    s, n = digits_exponent(abs(x))
    return max(0, len(s) - n)


def printed(x):
    """The exact value of x as printed."""
    return Fraction(Decimal(repr(x)))


def canonical(v):
    t = type(v)
    if t is float or t is int:
        return js_number(float(v))
    if v is None or t is bool or t is str:
        return json.dumps(v, ensure_ascii=False)
    if t is list:
        return "[" + ",".join(map(canonical, v)) + "]"
    return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + canonical(v[k])
                          for k in sorted(v, key=lambda s: s.encode("utf-16-be", "surrogatepass"))) + "}"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def text_hash(text):
    return sha(text.encode("utf-8"))


def byte_order(text):
    return text.encode("utf-8")


def utf16_units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# ---------------------------------------------------------------- times

def milliseconds(year, month, day, hour, minute, second, fraction):
    """Since 1970, or None if there is no such time."""
    try:
        # the calendar repeats itself after 400 years of 146,097 days; date has no year 0
        days = date(year or 400, month, day).toordinal() - (0 if year else 146_097) - date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction


def time_ms(text):
    """The milliseconds of a time of a receipt or head, or None if it is not one."""
    if type(text) is not str:
        return None
    m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z", text, re.ASCII)
    return milliseconds(*map(int, m.groups())) if m else None


def offset_time_ms(text):
    """The milliseconds of startsAt or endsAt (RFC 3339; seconds may be missing), or None if it is not a time."""
    m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:[Zz]|([+-])(\d\d):(\d\d))", text,
                     re.ASCII)
    if m is None:
        return None
    *fields, second, fraction, sign, hours, minutes = m.groups()
    ms = milliseconds(*map(int, fields), int(second or 0), 0)
    if ms is None or int(hours or 0) > 23 or int(minutes or 0) > 59:
        return None
    offset = (int(hours or 0) * 60 + int(minutes or 0)) * 60_000
    return ms + Fraction(fraction or "0") * 1000 - (-offset if sign == "-" else offset)


# ---------------------------------------------------------------- forms

def is_text(v):
    return type(v) is str


def is_hash(v):
    return type(v) is str and HEX64.match(v) is not None


def is_signature(v):
    return type(v) is str and HEX128.match(v) is not None


def is_num(v):
    return type(v) is float


def is_int(v):
    return type(v) is float and v.is_integer() and abs(v) <= SAFE


def number(low, high=INF):
    return lambda v: is_num(v) and low <= v <= high


def integer(low, high=SAFE):
    return lambda v: is_int(v) and low <= v <= high


def boolean(v):
    return type(v) is bool


def exactly(value):
    return lambda v: type(v) is type(value) and v == value


def or_null(check):
    return lambda v: v is None or check(v)


def list_of(check, low=0, high=INF):
    return lambda v: type(v) is list and low <= len(v) <= high and all(map(check, v))


def record(needed, optional={}):
    """An object with these members, each with its check."""
    return lambda v: (type(v) is dict and all(n in v for n in needed)
                      and all((n in needed and needed[n](x)) or (n in optional and optional[n](x))
                              for n, x in v.items()))


def a_time(v):
    return time_ms(v) is not None


def client_seed(v):
    return is_text(v) and 1 <= len(v) <= 191 and not any(unicodedata.category(c) == "Cc" for c in v)


NAT = integer(0)
STATE = record({
    "own": record({"idle": or_null(record({"atMs": integer(-SAFE), "rolls": NAT, "units": NAT})), "rolls": NAT,
                   "sparkPoints": NAT}),
    "pity": record({"counters": list_of(record({"since": NAT, "tier": is_text})), "losses": NAT}),
})
COMMON = {"v": exactly(2.0), "kind": is_text, "teamId": is_text, "userId": is_text, "at": a_time, "epoch": NAT,
          "previous": is_hash}
ROTATE = {**COMMON, "clientSeed": client_seed, "commitment": is_hash, "nextCommitment": is_hash,
          "revealed": or_null(is_hash), "manifest": is_hash, "count": NAT, "head": is_hash}
CALL = {**COMMON, "scope": is_text, "nonce": NAT, "templateId": is_text, "config": is_hash, "salt": is_hash,
        "pool": is_hash, "before": or_null(STATE), "after": or_null(STATE), "draws": NAT,
        "results": list_of(lambda v: type(v) is list and len(v) == 5 and is_text(v[0]) and or_null(is_text)(v[1])
                           and boolean(v[2]) and boolean(v[3]) and list_of(is_num)(v[4]))}
ROLL_REQUEST = record({}, {"count": NAT, "depth": NAT, "classifierOptionIds": list_of(is_text)})
RECEIPT = {"rotate": ROTATE, "roll": {**CALL, "request": ROLL_REQUEST},
           "spark": {**CALL, "request": record({"itemId": is_text})}}

HEAD = record({"at": a_time, "root": is_hash, "size": integer(1), "teamId": is_text, "v": exactly(1.0)})
PATH = list_of(is_hash, 0, 64)
LOG = record({"head": or_null(HEAD), "signature": or_null(is_signature), "publicKey": or_null(is_hash),
              "inclusions": list_of(record({"leaf": is_hash, "index": NAT, "path": PATH})),
              "pending": list_of(is_hash)},
             {"consistency": record({"from": integer(1), "to": integer(1), "path": PATH})})


def members(v, needed, what, optional={}):
    """Like record, but says what is wrong."""
    need(type(v) is dict, what + " is not an object")
    for n in needed:
        need(n in v, "%s has no member %s" % (what, n))
    for n, x in v.items():
        need(n in needed or n in optional, "%s has a member that is not known: %s" % (what, n))
        need((needed[n] if n in needed else optional[n])(x), "%s: %s has another form" % (what, n))


# ---------------------------------------------------------------- files

class Proof:
    """A file, as far as it can be read by itself."""

    def __init__(self, text):
        need(utf16_units(text) <= 64 * MIB, "the file is too large")
        p = read_json(text)
        need(type(p) is dict and exactly(2.0)(p.get("v")), "not a proof of version 2")
        members(p, {"v": is_num, "receipts": list_of(lambda e: type(e) is dict, 1),
                    "snapshots": lambda v: type(v) is dict and all(is_hash(k) and is_text(v[k]) for k in v)},
                "the proof", {"epoch": lambda v: v == "all" or NAT(v), "from": NAT, "log": LOG})
        self.snapshots, self.log = p["snapshots"], p.get("log")
        self.claim, self.start = p.get("epoch"), int(p.get("from", 0))
        self.receipts = []  # each with the hash beside it, or None
        for e in p["receipts"]:
            beside = None
            if "receipt" in e:
                members(e, {"hash": is_hash, "receipt": lambda r: type(r) is dict}, "an entry of receipts")
                beside, e = e["hash"], e["receipt"]
            kind = e.get("kind")
            need(is_text(kind) and kind in RECEIPT, "a receipt is of no known kind")
            members(e, RECEIPT[kind], "a receipt")
            self.receipts.append((e, beside))
        self.entries = []  # of the story, for these receipts


def read_json(text):
    """The value of a file, in which every text is well-formed."""
    try:
        v = parse(text[1:] if text.startswith("\ufeff") else text)
        json.dumps(v, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Wrong("a lone surrogate")
    except ValueError as e:
        raise Wrong("not JSON that can be accepted: %s" % e)
    except RecursionError:
        raise Wrong("nested too deeply")
    return v


def kept_head(v):
    """A kept head as { size, root, signed }; signed only if it is what the service publishes."""
    for x in (v, v.get("head"), v.get("log")) if type(v) is dict else ():
        if type(x) is not dict:
            continue
        if HEAD(x.get("head")) and is_signature(x.get("signature")) and is_hash(x.get("publicKey")):
            return {"size": x["head"]["size"], "root": x["head"]["root"],
                    "signed": {n: x[n] for n in ("head", "signature", "publicKey")}}
        if integer(1)(x.get("size")) and is_hash(x.get("root")):
            return {"size": x["size"], "root": x["root"]}
    raise Wrong("a kept head has no size and root")


def read_kept(text):
    """What a player kept as { receipts, seeds, heads }, or None if it is another file."""
    if utf16_units(text) > MIB:
        return None
    try:
        v = read_json(text)
    except Wrong:
        return None
    if type(v) is not dict or "kept" not in v:
        return None
    seed = record({}, {"commitment": is_hash, "clientSeed": is_text})
    members(v, {"kept": exactly(1.0)}, "what was kept",
            {"receipts": list_of(is_hash), "seeds": list_of(seed), "heads": list_of(lambda x: True)})
    return {"receipts": v.get("receipts", []), "seeds": v.get("seeds", []),
            "heads": list(map(kept_head, v.get("heads", [])))}


# ---------------------------------------------------------------- choosing

class Chooser:
    """Chooses among weights."""

    def __init__(self, weights):
        self.weights = weights
        self.totals = list(itertools.accumulate(weights))
        self.total = self.totals[-1] if weights else 0.0
        self.last = max((i for i, w in enumerate(weights) if w > 0), default=None)

    def choose(self, u):
        need(self.last is not None, "there is nothing to choose from")
        i = bisect.bisect_right(self.totals, u * self.total)
        return i if i < len(self.totals) else self.last

    def usable(self):
        return self.last is not None and 2.0 ** -900 <= self.total <= 2.0 ** 1000

    def check(self, what):
        """What the service asks of weights among which something is chosen."""
        need(self.usable(), "the weights of %s are not usable" % what)
        need(sum(1 for a, b in zip([0.0] + self.totals, self.totals) if b > a) < 2 ** 18,
             "there are too many weights of %s" % what)


class Draws:
    def __init__(self, seed, team, user, client, nonce):
        self.key = seed
        self.head = b""
        for f in (b"itemwright/draws/2", team.encode(), user.encode(), client.encode(), nonce.to_bytes(8, "big")):
            self.head += len(f).to_bytes(4, "big") + f
        self.buffer, self.block, self.used = [], 0, 0

    def message(self, b):
        return self.head + b"\0\0\0\4" + b.to_bytes(4, "big")

    def next(self):
        if not self.buffer:
            d = hmac.digest(self.key, self.message(self.block), "sha256")
            self.buffer = [(int.from_bytes(d[i:i + 8], "big") >> 11) / 2 ** 53 for i in (24, 16, 8, 0)]
            self.block += 1
        self.used += 1
        return self.buffer.pop()


def to_fixed(x, d):
    """Number(x.toFixed(d))."""
    a = abs(x)
    if not math.isfinite(x) or a >= 1e21:
        return x
    v = float(Fraction(math.floor(Fraction(a) * 10 ** d + Fraction(1, 2)), 10 ** d))
    return -v if x < 0 else v


def attribute_value(a, u):
    lo, hi, step = a["min"], a["max"], a["step"]
    span = hi - lo
    if math.isinf(span):
        v = lo * (1 - u) + hi * u
    else:
        n = None
        if step is not None:
            n = math.floor((printed(hi) - printed(lo)) / printed(step)) + 1
        if n is not None and n <= int(sys.float_info.max):
            if n == 1:
                v = lo
            else:
                m = float(n)
                v = lo + min(float(math.floor(u * m)), m - 1) * step
                d = max(decimals(lo), decimals(hi), decimals(step))
                if 0 < d <= 100:
                    v = to_fixed(v, d)
                v = min(v, hi)
        elif n is None and is_int(lo) and is_int(hi):
            v = lo + min(float(math.floor(u * (span + 1))), span)
        else:
            v = min(lo + u * span, hi)
    return 0.0 if v == 0 else v


def values_of(item, draws):
    return [attribute_value(a, draws.next()) for a in item["attributes"]]


# ---------------------------------------------------------------- snapshots

def ascending(names, what):
    keys = list(map(byte_order, names))
    need(all(a < b for a, b in zip(keys, keys[1:])), what + " are not in strictly ascending order")


def manifest(v):
    members(v, {"templates": list_of(list_of(is_hash, 2, 2)), "v": exactly(2.0)}, "the manifest")
    ascending([e[0] for e in v["templates"]], "the entries of the manifest")
    return dict(v["templates"])


OPTION = record({"classifierId": is_text, "dropRateMultiplier": or_null(number(0)), "id": is_text, "name": is_text})
ATTRIBUTE = record({"attributeId": is_text, "id": is_text, "max": is_num, "min": is_num,
                    "step": or_null(lambda v: is_num(v) and v > 0)})
ITEM = record({"attributes": list_of(lambda a: ATTRIBUTE(a) and a["min"] <= a["max"], 0, 100), "id": is_text,
               "name": is_text, "optionIds": list_of(is_text, 0, 100), "rollNumerator": number(0)})


class Pool:
    def __init__(self, p):
        members(p, {"items": list_of(ITEM), "options": list_of(OPTION), "v": exactly(1.0)}, "the pool")
        self.items = p["items"]
        ascending([o["id"] for o in p["options"]], "options")
        ascending([i["id"] for i in self.items], "items")
        self.options = {o["id"]: o for o in p["options"]}
        self.by_id = {i["id"]: i for i in self.items}
        self.weight = {}
        for i in self.items:
            need(all(o in self.options for o in i["optionIds"]), "an item has an option that is not in the pool")
            w = i["rollNumerator"]
            for o in sorted(i["optionIds"], key=byte_order):
                m = self.options[o]["dropRateMultiplier"]
                w = w * (1.0 if m is None else m)
            self.weight[i["id"]] = w
            i["attributes"].sort(key=lambda a: byte_order(a["id"]))

    def passing(self, items, option_ids):
        groups = {}
        for o in option_ids:
            if o not in self.options:
                return []
            groups.setdefault(self.options[o]["classifierId"], set()).add(o)
        return [i for i in items if all(any(o in g for o in i["optionIds"]) for g in groups.values())]


def rates(most=INF):
    return lambda v: type(v) is dict and len(v) <= 100 and all(map(number(0, most), v.values()))


def ids(most):
    return list_of(is_text, 0, most)


def soft_pity(v):
    return (list_of(record({"from": integer(1, 1000), "add": number(0)}), 0, 100)(v)
            and all(a["from"] < b["from"] for a, b in zip(v, v[1:])))


def slot_list(v):
    slot = record({"count": integer(1, 20)}, {"rates": rates(), "classifierOptionIds": ids(100)})
    return list_of(slot, 1, 20)(v) and sum(s["count"] for s in v) <= 20


# The members of config: those of all types, and those of each.
ALL = {"baseRates": rates(), "pool": record({}, {"classifierOptionIds": ids(100), "itemIds": ids(1000)}),
       "pityThreshold": integer(0, 1000), "rateUpMultiplier": number(0), "sparkCurrency": NAT,
       "featuredItemIds": ids(1000), "startsAt": is_text, "endsAt": is_text}
GACHA = {**ALL, "pityTier": is_text, "softPity": soft_pity, "featuredShare": number(0, 1),
         "pities": list_of(record({"tier": is_text, "threshold": integer(1, 1000)},
                                  {"softPity": soft_pity, "higherResets": boolean}), 0, 100),
         "guaranteeAfterLosses": integer(1, 10), "pityGroup": is_text}
CONFIG = {"gacha": ({}, GACHA),
          "idle": ({"rollsPerHour": lambda v: number(0, 10 ** 6)(v) and decimals(v) <= 6},
                   {**GACHA, "maxHours": number(0, 10 ** 6)}),
          "card_pack": ({}, {**ALL, "slots": slot_list, "unique": boolean}),
          "roguelike": ({}, {**ALL, "choices": integer(1, 20), "depthScaling": rates(2)}),
          "plain": ({}, {})}


def configuration(c):
    members(c, {"bindings": lambda v: type(v) is dict and all(map(is_text, v.values())),
                "config": lambda v: type(v) is dict, "engine": exactly(1.0), "pool": is_hash, "templateId": is_text,
                "type": lambda v: is_text(v) and v in CONFIG, "v": exactly(1.0)}, "the configuration")
    needed, optional = CONFIG[c["type"]]
    members(c["config"], needed, "config", optional)
    return c


class Tier:
    """option is None for the only tier of a template without baseRates; items with their weights in this tier."""

    def __init__(self, option, rate, share, items):
        self.option, self.rate, self.share, self.items = option, rate, share, items
        self.rank = 0

    def set_weights(self, weights):
        self.weights = weights
        self.chooser = Chooser(weights)
        self.counting = sum(1 for w in weights if w > 0)  # how many items count


class Counter:
    def __init__(self, tier, threshold, soft, higher=False):
        self.tier, self.threshold, self.soft, self.higher = tier, threshold, soft, higher

    def due(self, since):
        return self.threshold > 0 and since + 1 >= self.threshold

    def softness(self, k):
        total = 0.0
        for n, s in enumerate(self.soft):
            until = k
            if n + 1 < len(self.soft):
                until = min(until, self.soft[n + 1]["from"] - 1)
            if until >= s["from"]:
                total = total + s["add"] * (until - s["from"] + 1)
        return total

    def share_of_rest(self, since, left):
        """f in step 2 of the rates."""
        if self.due(since):
            return 1.0
        return share_of_rest(self.tier.share + self.softness(since + 1), left)


def share_of_rest(share, left):
    f = min(1.0, share / left) if left > 0 else 0.0
    return 1.0 if f >= 1 - 1e-12 else f


class Slot:
    """rates, items and what chooses among them are by tier."""

    def __init__(self, count, slot_rates, option_ids, pool, tiers):
        self.count, self.rates = count, slot_rates
        self.rate_chooser = Chooser(slot_rates)
        self.items, self.choosers = [], []
        for t in tiers:
            passing = {i["id"] for i in pool.passing(t.items, option_ids)}
            pairs = [(i, w) for i, w in zip(t.items, t.weights) if i["id"] in passing]
            self.items.append([i for i, _ in pairs])
            self.choosers.append(Chooser([w for _, w in pairs]))


class Template:
    """A configuration with its pool. Fails if the service would not accept it."""

    def __init__(self, c, pool):
        self.type, self.id, self.pool_hash, self.bindings = c["type"], c["templateId"], c["pool"], c["bindings"]
        self.config, self.pool = c["config"], pool
        self.like_gacha = self.type in ("gacha", "idle")
        if self.type == "plain":
            self.scope = "plain"
            return
        group = self.config.get("pityGroup")
        self.scope = "template:" + self.id if group is None else "group:" + group
        self.featured = set(self.config.get("featuredItemIds", []))
        self.threshold = self.config.get("pityThreshold", 0.0)
        self.set_tiers()
        self.set_weights()
        self.set_counters()
        self.set_featured()
        if self.type == "idle":
            need(printed(self.config["rollsPerHour"]) * printed(self.max_hours()) >= 1, "less than one roll can accrue")
        elif self.type == "card_pack":
            self.set_slots()
        elif self.type == "roguelike":
            self.cards = int(self.config.get("choices", 3))
            self.check_supply_of_offer(self.offer_slot(0))
            self.check_exhaustion([self.offer_slot(0)])

    def option(self, name):
        need(name in self.bindings, "the tier %s is not bound to an option" % name)
        return self.bindings[name]

    def by_option(self, by_name):
        d = {self.option(n): v for n, v in by_name.items()}
        need(len(d) == len(by_name), "two names of tiers are bound to one option")
        return d

    def set_tiers(self):
        k, pool = self.config, self.pool
        base = self.by_option(k.get("baseRates", {}))
        self.scaling = self.by_option(k.get("depthScaling", {}))
        self.pities = [(self.option(p["tier"]), p) for p in k.get("pities", [])]
        self.slot_rates = [self.by_option(s["rates"]) if "rates" in s else None for s in k.get("slots", [])]
        self.pity_tier = self.option(k["pityTier"]) if "pityTier" in k else None
        # options of tiers that are named elsewhere than in baseRates
        self.named = set(self.scaling).union((o for o, _ in self.pities), *filter(None, self.slot_rates))
        if self.pity_tier is not None:
            self.named.add(self.pity_tier)
        need(self.named <= set(base), "a tier is not in baseRates")

        wanted = k.get("pool", {})
        filters = [f.get("classifierOptionIds", []) for f in [wanted] + k.get("slots", [])]
        need(all(o in pool.options for f in filters for o in f), "an option is not in the pool")
        need(all(i in pool.by_id for i in wanted.get("itemIds", [])), "an item is not in the pool")
        candidates = pool.passing(pool.items, filters[0])
        if "itemIds" in wanted:
            allowed = set(wanted["itemIds"])
            candidates = [i for i in candidates if i["id"] in allowed]

        if base:
            options = sorted(base, key=byte_order)
            chooser = Chooser([base[o] for o in options])
            need(chooser.usable(), "baseRates are not usable")
            self.tiers = [Tier(o, base[o], base[o] / chooser.total, [i for i in candidates if o in i["optionIds"]])
                          for o in options]
            for i in candidates:
                need(sum(1 for o in i["optionIds"] if o in base) <= 1, "an item is in two tiers, or in one twice")
        else:
            self.tiers = [Tier(None, 1.0, 1.0, candidates)]
        # tiers are in byte order already; without baseRates there is no pityTier, either
        self.ranks = sorted(self.tiers, key=lambda t: (self.pity_tier is None or t.option != self.pity_tier, t.share))
        for n, t in enumerate(self.ranks):
            t.rank = n
        self.top = self.ranks[0]

    def set_weights(self):
        k = self.config
        up = k.get("rateUpMultiplier", 1.0)
        for t in self.tiers:
            weights = [self.pool.weight[i["id"]] for i in t.items]
            if t is not self.top or "featuredShare" not in k:
                weights = [w * up if i["id"] in self.featured else w for i, w in zip(t.items, weights)]
            t.set_weights(weights)
            has_pity = t is self.top and (self.threshold > 0 and self.type != "card_pack" or k.get("softPity"))
            if t.rate > 0 or t.option in self.named or has_pity:
                t.chooser.check("a tier")

    def set_counters(self):
        """Counters by rank."""
        top, soft = self.top, self.config.get("softPity", [])
        applies = top.share != 1
        self.counters = {top.rank: Counter(top, self.threshold if applies else 0.0, soft if applies else [])}
        by_option = {t.option: t for t in self.tiers}
        for option, p in self.pities:
            t = by_option[option]
            need(t.rank not in self.counters, "pities names the top tier, or a tier twice")
            self.counters[t.rank] = Counter(t, p["threshold"], p.get("softPity", []), p.get("higherResets", False))
        if self.like_gacha:
            c = self.counters[top.rank]
            product = c.threshold or 1
            if not c.threshold and c.soft:
                product = next((k for k in range(1, 4001) if c.share_of_rest(k - 1.0, 1.0) == 1), 4001)
            for _, p in self.pities:
                product *= int(p["threshold"])
            need(product <= 4000, "the product of the thresholds is above 4,000")

    def set_featured(self):
        need(self.featured <= {i["id"] for t in self.tiers for i in t.items}, "a featured item is in no tier")
        weight = self.pool.weight
        self.featured_items = [i for i in self.top.items if i["id"] in self.featured]
        self.other_items = [i for i in self.top.items if i["id"] not in self.featured]
        self.featured_chooser = Chooser([weight[i["id"]] for i in self.featured_items])
        self.other_chooser = Chooser([weight[i["id"]] for i in self.other_items])
        if "featuredShare" in self.config or "guaranteeAfterLosses" in self.config:
            self.featured_chooser.check("the featured items of the top tier")
            if self.other_chooser.last is not None:
                self.other_chooser.check("the other items of the top tier")

    def set_slots(self):
        unique = self.config.get("unique", False)
        self.slots = []
        for n, s in enumerate(self.config.get("slots", [{"count": 5.0}])):
            rs = [t.rate for t in self.tiers]
            if "rates" in s and self.top.option is not None:
                rs = [self.slot_rates[n].get(t.option, 0.0) for t in self.tiers]
            slot = Slot(int(s["count"]), rs, s.get("classifierOptionIds", []), self.pool, self.tiers)
            need(slot.rate_chooser.usable(), "the rates of a slot are not usable")
            for t, rate, chooser in zip(self.tiers, rs, slot.choosers):
                if rate > 0:
                    chooser.check("a tier in a slot")
                    need(not unique or sum(1 for w in chooser.weights if w > 0) == t.counting,
                         "the filter of a slot leaves out an item of a unique pack")
            self.slots.append(slot)
        self.cards = sum(s.count for s in self.slots)
        # the last slot that can give the top tier has the forced card
        n = self.tiers.index(self.top)
        self.forced = next((s for s in reversed(self.slots) if s.rates[n] > 0), None)
        need(self.threshold == 0 or self.forced is not None, "no slot can give the top tier")
        if unique:
            for n in range(len(self.slots)):
                need(not self.can_run_out(n), "a slot could run out")
            self.check_exhaustion(self.slots)

    def can_run_out(self, n):
        """Whether all items of slot n can be assigned to cards before its last one: a bipartite matching."""
        cards = [s for s in self.slots[:n] for _ in range(s.count)] + [self.slots[n]] * (self.slots[n].count - 1)
        items = [t for t, rate in enumerate(self.slots[n].rates) if rate > 0 for _ in range(self.tiers[t].counting)]
        if len(items) > len(cards):
            return False
        holds = {}  # item by card

        def assign(item, tried):
            for c, slot in enumerate(cards):
                if slot.rates[items[item]] > 0 and c not in tried:
                    tried.add(c)
                    if c not in holds or assign(holds[c], tried):
                        holds[c] = item
                        return True
            return False

        return all(assign(i, set()) for i in range(len(items)))

    def check_exhaustion(self, slots):
        """ways[n]: how many choices of numbers of items, of tiers that may run out, have the sum n."""
        ways = [1] + [0] * self.cards
        for n, t in enumerate(self.tiers):
            if 0 < t.counting < sum(s.count for s in slots if s.rates[n] > 0):
                ways = [sum(ways[max(0, m - t.counting):m + 1]) for m in range(len(ways))]
        need(sum(ways) <= 100_000, "there are too many ways to run out of items")

    def offer_slot(self, depth):
        rs = []
        for t in self.tiers:
            rate = t.rate
            for _ in range(depth if t.option in self.scaling else 0):
                rate = rate * self.scaling[t.option]
            rs.append(rate)
        return Slot(self.cards, rs, [], self.pool, self.tiers)

    def check_supply_of_offer(self, slot):
        need(slot.rate_chooser.usable(), "the rates of the offer are not usable")
        need(self.cards <= sum(t.counting for t, rate in zip(self.tiers, slot.rates) if rate > 0),
             "there are more choices than items")

    def max_hours(self):
        return self.config.get("maxHours", 24.0)

    def accrued(self, idle, now):
        """How many idle rolls there are, and the idle state after them; all of it exactly."""
        if idle is None:
            return 0, {"atMs": now, "rolls": 0, "units": 0}
        at, rate = int(idle["atMs"]), int(printed(self.config["rollsPerHour"]) * 10 ** 6)
        owed = int(idle["rolls"]) * ROLL + int(idle["units"]) + max(0, now - at) * rate
        owed = min(owed, math.floor(printed(self.max_hours()) * HOUR * rate), SAFE * ROLL)
        n = min(1000, owed // ROLL)
        return n, {"atMs": max(at, now), "rolls": owed // ROLL - n, "units": owed % ROLL}

    def open_at(self, ms):
        starts, ends = (offset_time_ms(self.config.get(n, "")) for n in ("startsAt", "endsAt"))
        return (starts is None or starts <= ms) and (ends is None or ms < ends)


class Snapshots:
    def __init__(self):
        self.texts = {}
        self.cache = {}

    def add(self, name, text):
        """Of two texts with one name, the one that has the hash."""
        if name not in self.texts or text_hash(self.texts[name]) != name:
            self.texts[name] = text

    def cached(self, key, make):
        if key not in self.cache:
            try:
                self.cache[key] = (make(), None)
            except Wrong as e:
                self.cache[key] = (None, str(e))
        value, error = self.cache[key]
        need(error is None, error)
        return value

    def manifest(self, name):
        return self.cached(("manifest", name), lambda: manifest(self.read(name, "the manifest")))

    def pool(self, name):
        return self.cached(("pool", name), lambda: Pool(self.read(name, "the pool")))

    def template(self, name):
        def make():
            c = configuration(self.read(name, "the configuration"))
            return Template(c, self.pool(c["pool"]))
        return self.cached(("template", name), make)

    def read(self, name, what):
        need(name in self.texts, "%s is not in the proof" % what)
        text = self.texts[name]
        need(text_hash(text) == name, "%s has another hash" % what)
        try:
            v = parse(text)
            same = canonical(v) == text
        except (ValueError, RecursionError) as e:
            raise Wrong("%s cannot be read: %s" % (what, e))
        need(same, "%s is not canonical" % what)
        return v


# ---------------------------------------------------------------- rolls

class State:
    def __init__(self, before, template):
        self.template = template
        self.counters = before["pity"]["counters"]
        self.losses = before["pity"]["losses"]
        self.idle, self.rolls, self.points = (before["own"][n] for n in ("idle", "rolls", "sparkPoints"))
        since = {}
        for c in self.counters:
            since.setdefault(c["tier"], c["since"])
        # the counters of this template, by rank
        self.now = {rank: since.get(c.tier.option, 0.0) for rank, c in template.counters.items()}

    def lose(self, is_featured):
        if self.template.featured:
            self.losses = 0.0 if is_featured else self.losses + 1

    def after(self, count):
        own = {c.tier.option: self.now[rank] for rank, c in self.template.counters.items() if c.tier.option is not None}
        counters = [c for c in self.counters if c["tier"] not in own]
        counters += [{"since": n, "tier": t} for t, n in own.items()]
        counters.sort(key=lambda c: byte_order(c["tier"]))
        return {"own": {"idle": self.idle, "rolls": self.rolls + count, "sparkPoints": self.points + count},
                "pity": {"counters": counters, "losses": self.losses}}


def gacha_rates(template, now):
    """In the order of tiers."""
    by_rank = []
    left, rest = 1.0, 1.0
    for t in template.ranks[:-1]:
        c = template.counters.get(t.rank)
        f = c.share_of_rest(now[t.rank], left) if c else share_of_rest(t.share, left)
        by_rank.append(f * rest)
        rest = rest - by_rank[-1]
        left = left - t.share
    by_rank.append(rest)
    return [by_rank[t.rank] for t in template.tiers]


def gacha(template, state, count, draws):
    share, guarantee = (template.config.get(n) for n in ("featuredShare", "guaranteeAfterLosses"))
    results = []
    choosers = {}
    for _ in range(count):
        key = tuple(state.now.values())
        if key not in choosers:
            choosers[key] = Chooser(gacha_rates(template, state.now))
        u, v, w = draws.next(), draws.next(), draws.next()
        t = template.tiers[choosers[key].choose(u)]
        pity = t.rank in template.counters and template.counters[t.rank].due(state.now[t.rank])
        items, chooser = t.items, t.chooser
        if t is template.top:
            if guarantee is not None and state.losses >= guarantee:
                items, chooser = template.featured_items, template.featured_chooser
            elif share is not None:
                if v < share or template.other_chooser.last is None:
                    items, chooser = template.featured_items, template.featured_chooser
                else:
                    items, chooser = template.other_items, template.other_chooser
        item = items[chooser.choose(w)]
        is_featured = item["id"] in template.featured
        for rank, c in template.counters.items():
            reset = rank == t.rank or (c.higher and t.rank < rank)
            state.now[rank] = 0.0 if reset else state.now[rank] + 1
        if t is template.top:
            state.lose(is_featured)
        results.append([item["id"], t.option, pity, is_featured, values_of(item, draws)])
    return results


def packs(template, state, count, slots, forced, unique, draws):
    """Card packs and offers; the last card of the slot forced is the forced card."""
    top = template.top
    results = []
    for _ in range(count):
        since = state.now[top.rank]
        due = template.counters[top.rank].due(since)
        given, had_top = set(), False
        for s in slots:
            for card in range(s.count):
                u, _v, w = draws.next(), draws.next(), draws.next()
                choosers, rate_chooser = s.choosers, s.rate_chooser
                if unique:
                    choosers = [Chooser([0.0 if i["id"] in given else x for i, x in zip(items, c.weights)])
                                for items, c in zip(s.items, s.choosers)]
                    rate_chooser = Chooser([r if c.last is not None else 0.0 for r, c in zip(s.rates, choosers)])
                if due and not had_top and s is forced and card == s.count - 1:
                    n = template.tiers.index(top)
                else:
                    n = rate_chooser.choose(u)
                t = template.tiers[n]
                item = s.items[n][choosers[n].choose(w)]
                given.add(item["id"])
                is_featured = item["id"] in template.featured
                pity = due and t is top and not had_top
                if t is top:
                    had_top = True
                    state.lose(is_featured)
                results.append([item["id"], t.option, pity, is_featured, values_of(item, draws)])
        state.now[top.rank] = 0.0 if had_top else since + 1
    return results


def plain(pool, request, draws):
    items = pool.passing(pool.items, request.get("classifierOptionIds", []))
    chooser = Chooser([pool.weight[i["id"]] for i in items])
    chooser.check("the items")
    _, _, w = draws.next(), draws.next(), draws.next()
    item = items[chooser.choose(w)]
    return [[item["id"], None, False, False, values_of(item, draws)]]


REQUEST = {"gacha": {"count"}, "card_pack": {"count"}, "roguelike": {"count", "depth"}, "idle": set()}


def check_call_without_draws(r, template):
    """Check 17."""
    is_plain = template.type == "plain"
    need((r["before"] is None) == is_plain and (r["after"] is None) == is_plain,
         "there must be a state, except for plain rolls")
    q, want = r["request"], 1
    if r["kind"] == "spark":
        need(template.config.get("sparkCurrency", 0) > 0, "the template has no exchanges")
        need(q["itemId"] in template.featured, "the item is not featured")
    elif is_plain:
        need(set(q) <= {"classifierOptionIds"}, "the request has other members than its type")
        need(len(q.get("classifierOptionIds", [])) <= 1000, "there are more than 1,000 options")
    else:
        need(set(q) == REQUEST[template.type], "the request has other members than its type")
        need(q.get("count", 1) >= 1, "count is below 1")
        need(q.get("depth", 0) <= 1000, "depth is above 1,000")
        if template.type == "roguelike":
            template.check_supply_of_offer(template.offer_slot(int(q["depth"])))
        if template.type == "idle":
            want = template.accrued(r["before"]["own"]["idle"], time_ms(r["at"]))[0]
        else:
            want = int(q["count"]) * (1 if template.type == "gacha" else template.cards)
    need(len(r["results"]) == want, "there are %d results instead of %d" % (len(r["results"]), want))


def run_call(r, template, draws):
    """Results and the state after, of a call that passes check 17."""
    q, before = r["request"], r["before"]
    if template.type == "plain":
        return plain(template.pool, q, draws), None
    if r["kind"] == "spark":
        points = before["own"]["sparkPoints"] - template.config["sparkCurrency"]
        need(points >= 0, "there are too few points")
        item = template.pool.by_id[q["itemId"]]
        return [[item["id"], None, False, True, values_of(item, draws)]], {
            "own": {**before["own"], "sparkPoints": points}, "pity": before["pity"]}
    state = State(before, template)
    count = int(q.get("count", 0))
    if template.type == "idle":
        count, state.idle = template.accrued(state.idle, time_ms(r["at"]))
    if template.like_gacha:
        results = gacha(template, state, count, draws)
    elif template.type == "card_pack":
        results = packs(template, state, count, template.slots, template.forced, template.config.get("unique", False),
                        draws)
    else:
        slot = template.offer_slot(int(q["depth"]))
        results = packs(template, state, count, [slot], slot, True, draws)
    return results, state.after(count)


# ---------------------------------------------------------------- Ed25519 (RFC 8032, 5.1.7)

P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def decode_point(data):
    """In extended coordinates, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2 ** 255 - 1)
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if x * x % P != xx:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != xx or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def add_points(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply_point(n, a):
    total = (0, 1, 1, 0)
    while n:
        if n & 1:
            total = add_points(total, a)
        a = add_points(a, a)
        n >>= 1
    return total


BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


@functools.lru_cache(maxsize=1000)
def signature_is_right(key, signature, message):
    a, r = decode_point(key), decode_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    x, y = multiply_point(s, BASE), add_points(r, multiply_point(k, a))
    return (x[0] * y[2] - y[0] * x[2]) % P == 0 and (x[1] * y[2] - y[1] * x[2]) % P == 0


# ---------------------------------------------------------------- the public log

def leaf(kind, name, value):
    return sha(b"\0" + canonical({"kind": kind, name: value, "v": 1}).encode())


def node(a, b):
    return sha(b"\1" + bytes.fromhex(a + b))


def included(inclusion, head):
    p, q, h = int(inclusion["index"]), int(head["size"]) - 1, inclusion["leaf"]
    if p > q:
        return False
    for x in inclusion["path"]:
        if q == 0:
            return False
        if p & 1 or p == q:
            h = node(x, h)
            while p and not p & 1:
                p, q = p >> 1, q >> 1
        else:
            h = node(h, x)
        p, q = p >> 1, q >> 1
    return q == 0 and h == head["root"]


def consistent(earlier, later, path):
    """Whether path shows that the larger log begins with the smaller one."""
    p, q = int(earlier["size"]) - 1, int(later["size"]) - 1
    while p & 1:
        p, q = p >> 1, q >> 1
    if p == 0:
        path = [earlier["root"]] + path
    if not path:
        return False
    a = b = path[0]
    for x in path[1:]:
        if q == 0:
            return False
        if p & 1 or p == q:
            a, b = node(x, a), node(x, b)
            while p and not p & 1:
                p, q = p >> 1, q >> 1
        else:
            b = node(b, x)
        p, q = p >> 1, q >> 1
    return q == 0 and a == earlier["root"] and b == later["root"]


# ---------------------------------------------------------------- the story

EMPTY = {"own": canonical({"idle": None, "rolls": 0, "sparkPoints": 0}),
         "pity": canonical({"counters": [], "losses": 0})}


class Entry:
    """A receipt of the story. The nonce of a rotation is -1."""

    def __init__(self, r, h, text):
        self.r, self.hash, self.text = r, h, text
        self.reasons = []
        self.sealed = False
        self.epoch = int(r["epoch"])
        self.nonce = -1 if r["kind"] == "rotate" else int(r["nonce"])
        self.ms = time_ms(r["at"])
        # the hash of the seed that a rotation reveals
        revealed = r.get("revealed")
        self.revealed_hash = None if revealed is None else sha(bytes.fromhex(revealed))

    def fail(self, text):
        if text not in self.reasons:
            self.reasons.append(text)


class Story:
    def __init__(self, proofs):
        self.proofs, self.snapshots, self.notes = proofs, Snapshots(), []
        self.unsound = []  # what is wrong with the story, but with no receipt
        self.by_hash = {}  # in the order of the files
        for proof in proofs:
            for name, text in proof.snapshots.items():
                self.snapshots.add(name, text)
            for r, beside in proof.receipts:
                text = canonical(r)
                h = text_hash(text)
                e = self.by_hash.setdefault(h, Entry(r, h, text))
                proof.entries.append(e)
                if beside is not None and beside != h:  # 1
                    e.fail("the hash beside it is not its hash")
        self.entries = list(self.by_hash.values())
        self.rotations = [e for e in self.entries if e.nonce < 0]
        self.team = self.entries[0].r["teamId"]
        self.places = {}  # by epoch and nonce: the first receipt that belongs there
        for e in self.entries:
            if (e.r["teamId"], e.r["userId"]) != (self.team, self.entries[0].r["userId"]):  # 2
                e.fail("it belongs to another team or player")
            first = self.places.setdefault((e.epoch, e.nonce), e)
            if first is not e:  # 3
                first.fail("there is another receipt in its place")
                e.fail("there is another receipt in its place")
        self.order = sorted(self.places)
        self.nonces = {}  # of the calls that are there, by epoch
        for epoch, nonce in self.order:
            there = self.nonces.setdefault(epoch, [])
            if nonce >= 0:
                there.append(nonce)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def rotation(self, epoch):
        return self.places.get((epoch, -1))

    def claimed_from(self, epoch):
        """The nonce from which on an epoch is claimed, or None."""
        starts = []
        there = self.nonces.get(epoch)
        for proof in self.proofs:
            if proof.claim is None:
                starts += there[:1] if there else []
            elif proof.claim in ("all", epoch):
                starts.append(proof.start)
        return min(starts, default=None)

    def check(self, kept):
        for a, b in zip(self.order, self.order[1:]):  # 4
            if self.places[b].ms < self.places[a].ms - 60_000:
                self.places[b].fail("its time is more than 60 seconds before that of the receipt before")
        for place in self.order:
            if place[1] < 0:
                self.check_rotation(self.places[place])
            else:
                self.check_call(self.places[place])
        self.check_first_epochs()
        self.check_states()
        self.say_missing_calls()
        self.check_kept(kept)
        self.check_logs()
        self.check_heads(kept.get("heads") or [])

    # ------------------------------------------------------------ rotations

    def check_rotation(self, e):
        r, old = e.r, self.rotation(e.epoch - 1)
        if e.epoch == 0:  # 5
            if (r["previous"], r["head"], r["revealed"], r["count"]) != (ZEROS, ZEROS, None, 0):
                e.fail("the first rotation names something before it")
        elif r["revealed"] is None:
            e.fail("it reveals no seed")
        if len({r["commitment"], r["nextCommitment"], e.revealed_hash}) != 3:  # 6; None is different, too
            e.fail("two epochs have the same server seed")
        if old is not None:  # 7
            if r["previous"] != old.hash:
                for x in (e, old):
                    x.fail("previous of the rotation of epoch %d is not the rotation before" % e.epoch)
            if r["commitment"] != old.r["nextCommitment"]:
                e.fail("commitment is not the nextCommitment of the rotation before")
            if r["clientSeed"] == old.r["clientSeed"]:
                e.fail("the client seed is that of the rotation before")
            if r["revealed"] is not None and e.revealed_hash != old.r["commitment"]:
                e.fail("the revealed seed is not the one that was committed to")
        if e.epoch > 0:
            self.check_end(e)

    def check_end(self, e):
        """The end of the epoch before the rotation e."""
        epoch, count, head = e.epoch - 1, int(e.r["count"]), e.r["head"]
        there = self.nonces.get(epoch, [])
        for n in there:  # 9
            if n >= count:
                self.places[epoch, n].fail("its epoch ended before it")
        if there and there[-1] == count - 1 and self.places[epoch, count - 1].hash != head:  # 10
            for x in (e, self.places[epoch, count - 1]):
                x.fail("head is not the last receipt of the epoch")
        old = self.rotation(epoch)
        if count == 0 and old is not None and old.hash != head:
            e.fail("head is not the rotation of the epoch before")
        claim = self.claimed_from(epoch)
        if claim is not None and max(claim, there[-1] + 1 if there else 0) < count:  # 11
            if self.may_go_on(epoch):
                self.note("epoch %d may go on in another file" % epoch)
            else:
                e.fail("the last calls of the epoch before are missing")

    def may_go_on(self, epoch):
        """Whether the rest of an epoch may be in another file (11)."""
        part = [self.places[epoch, n] for n in [-1] + self.nonces.get(epoch, []) if (epoch, n) in self.places]
        names = {e.r[n] for e in part for n in ("manifest", "config", "pool") if n in e.r}
        texts = [e.text for e in part] + [self.snapshots.texts.get(n, "") for n in names]
        return len(part) >= 1000 or sum(map(utf16_units, texts)) > 16 * MIB

    def check_first_epochs(self):
        if any(proof.claim == "all" for proof in self.proofs):  # 8
            epoch = next((epoch for n, epoch in enumerate(self.nonces) if n != epoch), None)
            if epoch is not None and self.rotation(epoch):
                self.rotation(epoch).fail("epochs before it are missing")

    # ------------------------------------------------------------ calls

    def check_call(self, e):
        r = e.r
        rotation, end = self.rotation(e.epoch), self.rotation(e.epoch + 1)
        before = self.places.get((e.epoch, e.nonce - 1))
        if rotation is None:  # 12
            e.fail("the rotation of its epoch is missing")
        if before is not None and before.hash != r["previous"]:  # 13
            e.fail("previous is not the receipt before")
            if before is not rotation:
                before.fail("the next call names another receipt in its place")
        claim = self.claimed_from(e.epoch)
        if claim is not None and e.nonce > claim and before is None:  # 14
            e.fail("calls before it are missing")
        template, runnable = None, False
        try:
            template = self.snapshots.template(r["config"])  # 15
            for name, value in (("templateId", template.id), ("pool", template.pool_hash), ("scope", template.scope)):
                need(r[name] == value, "%s is not that of the configuration" % name)
            check_call_without_draws(r, template)
            runnable = rotation is not None
        except Wrong as x:
            e.fail(str(x))
        if rotation is not None:  # 16
            try:
                entries = self.snapshots.manifest(rotation.r["manifest"])
                need(entries.get(text_hash(r["templateId"])) == sha(bytes.fromhex(r["salt"] + r["config"])),
                     "the manifest does not have its configuration")
            except Wrong as x:
                e.fail(str(x))
        if end is None or end.r["revealed"] is None:  # 19
            e.sealed = True
            if template is not None and any(x[0] not in template.pool.by_id for x in r["results"]):
                e.fail("an item is not in the pool")
        elif rotation is not None and end.revealed_hash != rotation.r["commitment"]:  # 18
            e.fail("the server seed is not the one that was committed to")
        elif runnable:  # 19
            draws = self.draws(e, e.nonce)
            try:
                results, after = run_call(r, template, draws)
            except Wrong as x:
                e.fail("it cannot be run again: %s" % x)
                return
            for name, value in (("results", results), ("after", after), ("draws", draws.used)):
                if canonical(value) != canonical(r[name]):
                    e.fail("run again, %s would be %s" % (name, canonical(value)))

    def draws(self, e, nonce):
        """The draws of a nonce in the epoch of e, whose seed is known."""
        seed, client = self.rotation(e.epoch + 1).r["revealed"], self.rotation(e.epoch).r["clientSeed"]
        return Draws(bytes.fromhex(seed), e.r["teamId"], e.r["userId"], client, nonce)

    def check_states(self):
        """Check 20, and what must be said about it."""
        # gaps[n]: how often something is missing between the first n + 1 receipts
        gaps = [0 if self.order[0] == (0, -1) else 1]
        for (epoch, nonce), (epoch2, nonce2) in zip(self.order, self.order[1:]):
            next_call = epoch2 == epoch and nonce2 == nonce + 1
            next_epoch = (epoch2, nonce2) == (epoch + 1, -1) and self.rotation(epoch2).r["count"] == nonce + 1
            gaps.append(gaps[-1] + (0 if next_call or next_epoch else 1))
        left = {}  # by scope or template: the text that its last call left, and gaps there
        for place, gap in zip(self.order, gaps):
            e = self.places[place]
            r = e.r
            if e.nonce < 0:
                continue
            where = "epoch %d, nonce %d: " % place
            start = self.claimed_from(place[0])
            claimed = start is not None and e.nonce >= start
            for part, key in (("pity", r["scope"]), ("own", r["templateId"])):
                if r["before"] is not None:
                    mine = canonical(r["before"][part])
                    text, earlier = left.get((part, key), (None, None))
                    if not claimed and earlier != gap:  # only the last calls are there
                        text = None
                    if text is None:
                        if gap or mine != EMPTY[part]:
                            self.note(where + "%s of %s is taken as given" % (part, key))
                    elif text != mine:
                        e.fail("before.%s is not what the last call left" % part)
                    elif gap != earlier:
                        self.note(where + "receipts are missing since the last call of %s that is there" % key)
                if r["after"] is not None:
                    left[part, key] = canonical(r["after"][part]), gap
            if r["after"] is not None and r["scope"] != "template:" + r["templateId"]:
                left["pity", "template:" + r["templateId"]] = EMPTY["pity"], gap

    def say_missing_calls(self):
        for epoch, there in self.nonces.items():
            if self.claimed_from(epoch) == 0:
                continue
            end = self.rotation(epoch + 1)
            stops = there + [int(end.r["count"])] if end else there
            gaps = [(a + 1, b - 1) for a, b in zip([-1] + there, stops) if b > a + 1]
            if gaps:
                self.note("epoch %d: these calls are not there: %s" % (
                    epoch, ", ".join(str(a) if a == b else "%d to %d" % (a, b) for a, b in gaps)))

    # ------------------------------------------------------------ what was kept

    def check_kept(self, kept):
        for h in kept.get("receipts") or []:  # 21
            if h not in self.by_hash:
                self.unsound.append("the kept receipt %s is not in the proof" % h)
        turns = [e.r for e in self.rotations]
        for entry in kept.get("seeds") or []:
            commitment, seed = entry.get("commitment"), entry.get("clientSeed")
            if commitment is not None and not any(
                    commitment in (r["commitment"], r["nextCommitment"]) for r in turns):  # 22
                self.unsound.append("the kept commitment %s is not in the proof" % commitment)
            if seed is not None and not any(
                    r["clientSeed"] == seed and commitment in (None, r["commitment"]) for r in turns):  # 23
                self.unsound.append("the kept client seed %r is not in the proof%s" % (
                    seed, "" if commitment is None else " with its commitment"))

    # ------------------------------------------------------------ the public log

    def check_logs(self):
        shown, pending, logged = set(), {}, set()
        for proof in self.proofs:
            if proof.log is None:
                continue
            head = proof.log["head"]
            inclusions = {i["leaf"]: i for i in proof.log["inclusions"]}  # the last one of a leaf
            waiting = set(proof.log["pending"])
            for e in proof.entries:
                if e.nonce >= 0:
                    continue
                logged.add(e.hash)
                for kind, l in (("rotation", leaf("rotation", "receipt", e.hash)),
                                ("manifest", leaf("manifest", "manifest", e.r["manifest"]))):
                    if l in inclusions:  # 24
                        if head is not None and included(inclusions[l], head):
                            shown.add(l)
                        else:
                            e.fail("the %s is not shown to be in the log" % kind)
                    elif l not in waiting:
                        e.fail("the %s is neither in the log nor pending" % kind)
                    else:
                        pending[l] = "the %s of epoch %d is not in the log yet: %s" % (kind, e.epoch, l)
                        if head is not None and time_ms(head["at"]) - e.ms > HOUR:  # 25
                            e.fail("the %s is still not in the log after an hour" % kind)
        for l, text in pending.items():
            if l not in shown:
                self.note(text)
        missing = sum(1 for e in self.rotations if e.hash not in logged)
        if missing and any(proof.log is not None for proof in self.proofs):
            self.note("%d rotations are in no file that says something about the log" % missing)

    def agreement(self, a, b):
        """True if two heads agree, False if they contradict each other, None if neither is known."""
        if a["size"] == b["size"]:
            return a["root"] == b["root"]
        a, b = sorted((a, b), key=lambda h: h["size"])
        paths = [c["path"] for c in (proof.log.get("consistency") for proof in self.proofs if proof.log)
                 if c and (c["from"], c["to"]) == (a["size"], b["size"])]
        return any(consistent(a, b, path) for path in paths) if paths else None

    def check_heads(self, kept):
        logs = [proof.log for proof in self.proofs if proof.log and proof.log["head"]]
        signed = logs + [h["signed"] for h in kept if h.get("signed")]
        for s in signed:  # 26
            head, signature, key = s["head"], s["signature"], s["publicKey"]
            what = "the head of %d leaves " % head["size"]
            if head["teamId"] != self.team:
                self.unsound.append(what + "is that of another team")
            if signature is None or key is None:
                self.unsound.append(what + "is not signed")
            elif not signature_is_right(bytes.fromhex(key), bytes.fromhex(signature), canonical(head).encode()):
                self.unsound.append(what + "has a wrong signature")
        if len({s["publicKey"] for s in signed}) > 1:  # 27
            self.unsound.append("heads are signed with different keys")
        self.heads = [log["head"] for log in logs]
        for a, b in itertools.combinations(self.heads, 2):  # 28
            agree = self.agreement(a, b)
            if agree is False:
                self.unsound.append("the heads of %d and %d leaves contradict each other" % (a["size"], b["size"]))
            elif agree is None:
                self.note("nothing shows that the heads of %d and %d leaves agree" % (a["size"], b["size"]))
        for k in kept:  # 29
            found = [self.agreement(k, h) for h in self.heads]
            if False in found:
                self.unsound.append("the kept head of %d leaves contradicts a head" % k["size"])
            elif True not in found:
                self.unsound.append("the kept head of %d leaves agrees with no head" % k["size"])
        if not kept and not any(proof.log for proof in self.proofs):
            self.note("nobody can tell whether others see the same story: nothing is known about the log")
        self.largest = max(logs, key=lambda log: log["head"]["size"], default=None)

    def keep(self, kept):
        """The file to save after this story, if it is sound."""
        epoch = max(self.nonces)
        last = self.rotation(epoch)
        receipts = (kept.get("receipts") or []) + [last.hash]
        receipts += [self.places[epoch, n].hash for n in self.nonces[epoch][-1:]]
        seeds = (kept.get("seeds") or []) + [{"commitment": last.r["nextCommitment"]}]
        heads = []
        for h in kept.get("heads") or []:
            if not self.largest or not self.agreement(h, self.largest["head"]):
                heads.append(h.get("signed") or {"size": h["size"], "root": h["root"]})
        if self.largest:
            heads.append({n: self.largest[n] for n in ("head", "signature", "publicKey")})
        unique = [s for n, s in enumerate(seeds) if s not in seeds[:n]]
        return canonical({"kept": 1, "receipts": list(dict.fromkeys(receipts)), "seeds": unique, "heads": heads})

    # ------------------------------------------------------------ the roll that was not made

    def not_made(self):
        """What each template would have given after the last call of each epoch."""
        rolls, chances, hits = [], [1.0], 0
        for epoch, there in self.nonces.items():
            end = self.rotation(epoch + 1)
            if not there or end is None or end.r["revealed"] is None or there[-1] != end.r["count"] - 1:
                continue
            calls = [self.places[epoch, n] for n in there]
            left = {}  # what the last calls of scopes and templates left
            last = {}  # the last roll of each template, in the order of nonces
            for e in calls:
                if e.r["after"] is not None:
                    left["pity", e.r["scope"]] = e.r["after"]["pity"]
                    left["own", e.r["templateId"]] = e.r["after"]["own"]
                if e.r["kind"] == "roll" and not e.reasons:
                    last.pop(e.r["templateId"], None)
                    last[e.r["templateId"]] = e
            timed = None  # rate of the top tier, and whether it was given
            for e in last.values():
                template = self.snapshots.template(e.r["config"])
                if not template.open_at(end.ms):
                    continue
                r = {**e.r, "at": end.r["at"], "request": dict(e.r["request"])}
                if "count" in r["request"]:
                    r["request"]["count"] = 1.0
                if r["before"] is not None:
                    r["before"] = {"pity": left["pity", r["scope"]], "own": left["own", r["templateId"]]}
                try:
                    results, _ = run_call(r, template, self.draws(e, int(end.r["count"])))
                except Wrong:
                    continue
                rolls.append({"epoch": epoch, "templateId": r["templateId"], "results": results})
                if template.like_gacha and results:
                    by_tier = gacha_rates(template, State(r["before"], template).now)
                    timed = by_tier[template.tiers.index(template.top)], results[0][1] == template.top.option
            if timed:
                p, hit = timed
                hits += hit
                chances = [a * (1 - p) + b * p for a, b in zip(chances + [0.0], [0.0] + chances)]
        if sum(chances[hits:]) < 0.001:
            self.note("rotations may have been timed: %d rolls that were not made would have given the top tier" % hits)
        return rolls


def verify(files, kept=None):
    """files: texts of proofs; kept: { receipts, seeds, heads }, with heads as { size, root, signed }."""
    try:
        need(files, "there is no proof")
        story = Story([Proof(text) for text in files])
    except Wrong as e:
        return {"readable": False, "error": str(e)}
    kept = kept or {}
    story.check(kept)
    statuses = {e.hash: "failed" if e.reasons else "sealed" if e.sealed else "verified" for e in story.entries}
    counts = {s: sum(1 for x in statuses.values() if x == s) for s in ("verified", "sealed", "failed")}
    sound = counts["failed"] == 0 and not story.unsound
    return {"readable": True, "sound": sound, "counts": counts, "statuses": statuses,
            "reasons": {e.hash: e.reasons for e in story.entries if e.reasons}, "unsound": story.unsound,
            "notMade": story.not_made(), "notes": story.notes, "keep": story.keep(kept) if sound else None}


# ---------------------------------------------------------------- command line

def batch(name):
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8", newline="\n") as lines:
        for line in filter(str.strip, lines):
            job = json.loads(line)
            print(json.dumps({"name": job.get("name"), **verify(job["files"], job.get("kept"))}), flush=True)


def size_and_root(text):
    size, _, root = text.partition(":")
    return kept_head({"size": float(size), "root": root})


def main():
    parser = argparse.ArgumentParser(description="Verify proofs of verifiable rolls.")
    parser.add_argument("--receipt", action="append", default=[], help="a receipt hash that you kept")
    parser.add_argument("--commitment", help="a commitment that you kept")
    parser.add_argument("--client-seed", help="a client seed that you kept, chosen after the commitment")
    parser.add_argument("--head", action="append", default=[], metavar="SIZE:ROOT",
                        help="a head of the public log that you kept")
    parser.add_argument("--save", help="where to write what to keep after a sound story")
    parser.add_argument("--batch", help="a file with lines of { name, files, kept }, may be .gz")
    parser.add_argument("files", nargs="*", help="proofs, and files of what you kept")
    options = parser.parse_args()
    if options.batch:
        batch(options.batch)
        return 0
    seed = {"commitment": options.commitment, "clientSeed": options.client_seed}
    seed = {n: v for n, v in seed.items() if v is not None}
    try:
        kept = {"receipts": options.receipt, "seeds": [seed] if seed else [],
                "heads": list(map(size_and_root, options.head))}
        proofs = []
        for name in options.files:
            with open(name, "rb") as file:
                text = file.read().decode("utf-8")
            more = read_kept(text)
            if more is None:
                proofs.append(text)
            else:
                kept = {n: kept[n] + more[n] for n in kept}
        result = verify(proofs, kept)
    except (OSError, ValueError, Wrong) as e:
        result = {"readable": False, "error": str(e)}
    if options.save and result.get("keep"):
        with open(options.save, "w", encoding="utf-8") as file:
            file.write(result["keep"] + "\n")
    print(json.dumps(result))
    return 2 if not result["readable"] else 0 if result["sound"] else 1


if __name__ == "__main__":
    sys.exit(main())
