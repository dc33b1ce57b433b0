# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Lab 8d · Back to recurrence
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---
